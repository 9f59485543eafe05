package identity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Admit returns the owner of a token, and counts a request of their tenant against its
// limit of a class and, unless bytes is negative, those bytes as TakeBytes does. Limits are
// as they are now: what SetLimit changed holds from the next request on all replicas. It
// returns UNAUTHORIZED for a token that is unknown, expired or revoked, without saying
// which; a request that was not counted is no error. Bytes are counted only if the request
// was.
//
// It is one statement, which waits for no flush of the database: limits need not outlast a
// crash.
func (s *Store) Admit(ctx context.Context, token account.Secret, class account.Class, bytes int64) (account.Admission, error) {
	of, ok := s.byTier[class]
	if !ok {
		return account.Admission{}, fmt.Errorf("identity: a tenant has no limit of class %q", class)
	}
	var p account.Principal
	var stale bool
	var now time.Time
	var requests, sent mark
	err := s.pool.QueryRow(ctx, admit, fingerprint(token), usedEvery, string(class), of.tiers, of.limits, of.others,
		Window, unitsOf(bytes), unitsPerRequest, maxUnits).
		Scan(&p.UserID, &p.Email, &p.Name, &p.Role, &p.TenantID, &p.TenantName, &p.Tier, &p.LoginID, &stale, &p.Limits,
			&now, &requests.tat, &requests.taken, &sent.tat, &sent.taken)
	if noRows(err) {
		return account.Admission{}, domain.Errorf(domain.Unauthenticated, domain.CodeUnauthorized, "the token is unknown, expired or revoked")
	}
	if err == nil && stale {
		err = s.used(ctx, token)
	}
	if err != nil {
		return account.Admission{}, unavailable("admit", err)
	}
	limit := s.limit(p, class)
	a := account.Admission{Principal: p, Requests: requests.quota(limit, 1, now)}
	if bytes >= 0 && a.Requests.Allowed {
		a.Bytes = sent.quota(byteLimit(limit), unitsOf(bytes), now)
	}
	return a, nil
}

// admit finds who has a token and counts their request, and its bytes if it was counted
// and $8 of their units are not 0: see take, which does the same for one key. The limit
// of a request is the tenant's own, or its tier's, or $6.
const admit = `
	with who as materialized (` + findToken + `
	), counted as materialized (
		select $3::text || ':' || who.tenant as key, 'bytes:' || $3::text || ':' || who.tenant as bytes_key, l.n, least(l.n * $9::int, $10::int) as units
		from who, lateral (select coalesce(
			(who.limits ->> $3::text)::int,
			(select t.n from unnest($4::text[], $5::int[]) as t (tier, n) where t.tier = who.tier),
			$6::int) as n) l
	), cost as materialized (
		select key, bytes_key,
			interval '1 microsecond' * (` + microseconds + ` / n) as request, interval '1 microsecond' * (` + microseconds + ` / n) * n as requests,
			interval '1 microsecond' * (` + microseconds + ` / units) * least($8::int, units) as sent,
			interval '1 microsecond' * (` + microseconds + ` / units) * units as all_sent
		from counted
	), taken as (
		insert into identity.rate_limits as r (key, tat)
		select key, statement_timestamp() + request from cost
		on conflict (key) do update
		set tat = case when r.tat > statement_timestamp() + $7::interval then statement_timestamp()
			else greatest(r.tat, statement_timestamp()) end + (select request from cost)
		where r.tat > statement_timestamp() + $7::interval
			or greatest(r.tat, statement_timestamp()) + (select request from cost) <= statement_timestamp() + (select requests from cost)
		returning tat
	), taken_bytes as (
		insert into identity.rate_limits as r (key, tat)
		select bytes_key, statement_timestamp() + sent from cost
		where $8::int > 0 and exists (select from taken)
		on conflict (key) do update
		set tat = case when r.tat > statement_timestamp() + $7::interval then statement_timestamp()
			else greatest(r.tat, statement_timestamp()) end + (select sent from cost)
		where r.tat > statement_timestamp() + $7::interval
			or greatest(r.tat, statement_timestamp()) + (select sent from cost) <= statement_timestamp() + (select all_sent from cost)
		returning tat
	)
	select who.*, statement_timestamp(),
		coalesce((select tat from taken), (select r.tat from identity.rate_limits r, cost where r.key = cost.key)),
		exists (select from taken),
		coalesce((select tat from taken_bytes), (select r.tat from identity.rate_limits r, cost where r.key = cost.bytes_key)),
		exists (select from taken_bytes)
	from who`

// microseconds in a Window, as SQL.
const microseconds = `60000000`

// mark is what a limit's row says, and whether it was moved. tat is nil where two first
// requests ran at once and the other one used up the limit: its row is not in this
// statement's snapshot.
type mark struct {
	tat   *time.Time
	taken bool
}

func (m mark) quota(limit, cost int, now time.Time) account.Quota {
	if m.tat == nil {
		return usedUp(limit)
	}
	return quota(limit, min(cost, limit), *m.tat, now, m.taken)
}

// tierLimits are the limits of a class: of tiers, and of those that are none of them.
type tierLimits struct {
	tiers  []string
	limits []int
	others int
}

// byTier are the limits of all classes a tenant has limits of.
func (t Tiers) byTier() map[account.Class]tierLimits {
	known := DefaultTiers()
	maps.Copy(known, t)
	all := map[account.Class]tierLimits{}
	for _, class := range TenantClasses {
		of := tierLimits{tiers: slices.Sorted(maps.Keys(known)), others: t.limit("", class)}
		for _, tier := range of.tiers {
			of.limits = append(of.limits, t.limit(tier, class))
		}
		all[class] = of
	}
	return all
}
