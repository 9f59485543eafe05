package main

import (
	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections/skills"
)

func (p program) skillsCmd() *cobra.Command {
	var tenant, site string
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "Print what corrections have taught, used last first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				list, err := skills.Queries{DB: s.db}.List(cmd.Context(), tenant, site)
				if err != nil {
					return err
				}
				for _, e := range list {
					if err := p.printJSON(api.NewSkillEntry(e)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&site, "site", "", "on this host only")
	return cmd
}
