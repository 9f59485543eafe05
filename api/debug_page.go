package api

import (
	"context"
)

// pageReply is a page as a document. It is not an envelope, to be shown as it is.
type pageReply struct {
	Type   string `header:"Content-Type"`
	Policy string `header:"Content-Security-Policy" doc:"No scripts, no origin, no network."`
	Body   []byte
}

const htmlType = "text/html; charset=utf-8"

// turnPage shows the page a turn began on, with the element of its action outlined.
func (s *Server) turnPage(ctx context.Context, in *turnInput) (*pageReply, error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	p, err := s.History.Page(ctx, caller(ctx).TenantID, id, in.Turn)
	if err != nil {
		return nil, err
	}
	document, policy := s.Snapshots.Render(p.Capture, p.Target)
	return &pageReply{htmlType, policy, document}, nil
}
