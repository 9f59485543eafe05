package identity

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Window is the time all limits are counted over.
const Window = time.Minute

// Bytes are counted in units, of which a request has so many on average.
const (
	byteUnit        = 64 << 10
	unitsPerRequest = 128     // 8 MiB
	maxUnits        = 1 << 24 // 1 TiB: still microseconds apart
)

// TakeBytes counts the bytes of a tenant's request against 8 MiB for each request of
// its limit; a few large requests may use all of them. A body larger than that counts
// as all of it. Bytes are not refunded.
func (s *Store) TakeBytes(ctx context.Context, p account.Principal, class account.Class, n int64) (account.Quota, error) {
	return s.take(ctx, "bytes:"+tenantKey(p, class), byteLimit(s.limit(p, class)), unitsOf(n))
}

// byteLimit is what bytes are limited to, in units, beside so many requests.
func byteLimit(requests int) int { return min(requests*unitsPerRequest, maxUnits) }

// unitsOf are the units n bytes count as: one at least, and 0 for a negative n.
func unitsOf(n int64) int {
	if n < 0 {
		return 0
	}
	return int(max(1, (n+byteUnit-1)/byteUnit))
}

// TakeAddress counts a request without a valid token from a network address ("" for
// unknown ones). The address is stored as a hash, and only while it counts.
func (s *Store) TakeAddress(ctx context.Context, address string) (account.Quota, error) {
	key := string(account.Anonymous) + ":" + domain.DeriveUUID("address", address)
	return s.take(ctx, key, s.tiers.limit(TierAnonymous, account.Anonymous), 1)
}

// Refund returns one taken request, for an answer that cost nothing.
func (s *Store) Refund(ctx context.Context, p account.Principal, class account.Class) error {
	const refund = `
		update identity.rate_limits
		set tat = tat - $2::interval
		where key = $1`
	_, err := s.pool.Exec(ctx, refund, tenantKey(p, class), interval(s.limit(p, class)))
	return unavailable("refund", err)
}

// limit is the limit of a caller's tenant: its own, else that of its tier.
func (s *Store) limit(p account.Principal, class account.Class) int {
	if n := p.Limits[class]; n > 0 {
		return n
	}
	return s.tiers.limit(p.Tier, class)
}

func tenantKey(p account.Principal, class account.Class) string {
	return string(class) + ":" + p.TenantID
}

// TakeLogin counts an attempt to log in, successful or not, to an account from a network
// address ("" if unknown). An address is shared by an office, an account is not. It returns the tighter of the two quotas. Account and address are stored
// as hashes, and only while they count.
func (s *Store) TakeLogin(ctx context.Context, email, address string) (account.Quota, error) {
	perAccount, perAddress := s.tiers.limit(TierLogin, account.Account), s.tiers.limit(TierLogin, loginAddress)
	byAddress := account.Quota{Allowed: true, Remaining: perAddress}
	if address != "" {
		q, err := s.take(ctx, loginKey("address", address), perAddress, 1)
		if err != nil || !q.Allowed {
			return q, err
		}
		byAddress = q
	}
	if normal, err := normalEmail(email); err == nil {
		email = normal
	}
	q, err := s.take(ctx, loginKey("account", email), perAccount, 1)
	if err != nil || !q.Allowed || q.Remaining <= byAddress.Remaining {
		return q, err
	}
	return byAddress, nil
}

func loginKey(kind, what string) string {
	return string(account.SignIn) + ":" + kind + ":" + domain.DeriveUUID(kind, what)
}

// take counts against a limit across all replicas. A full limit may be used at once;
// after that requests are returned evenly over the Window (the generic cell rate
// algorithm), so that no window boundary lets twice the limit through.
//
// It is one statement: the insert or update counts the request if it fits; if not,
// the row says why. statement_timestamp is one clock for all replicas and constant
// within the statement.
//
// No use of a limit moves its mark further ahead than a Window. A mark beyond that
// was made by a clock that has since been set back, and does not count.
func (s *Store) take(ctx context.Context, key string, limit, cost int) (account.Quota, error) {
	const take = `
		with taken as (
			insert into identity.rate_limits as r (key, tat)
			values ($1, statement_timestamp() + $2::interval * $4)
			on conflict (key) do update
			set tat = case when r.tat > statement_timestamp() + $5::interval then statement_timestamp()
				else greatest(r.tat, statement_timestamp()) end + $2::interval * $4
			where r.tat > statement_timestamp() + $5::interval
				or greatest(r.tat, statement_timestamp()) + $2::interval * $4
					<= statement_timestamp() + $2::interval * $3
			returning tat
		)
		select tat, true, statement_timestamp() from taken
		union all
		select tat, false, statement_timestamp() from identity.rate_limits
		where key = $1 and not exists (select from taken)`
	var tat, now time.Time
	var allowed bool
	cost = min(cost, limit)
	err := s.pool.QueryRow(ctx, take, key, interval(limit), limit, cost, Window).Scan(&tat, &allowed, &now)
	if noRows(err) {
		// Two first requests ran at once, and the other one used up a limit of one:
		// its row is not in this statement's snapshot.
		return usedUp(limit), nil
	}
	if err != nil {
		return account.Quota{}, unavailable("take", err)
	}
	return quota(limit, cost, tat, now, allowed), nil
}

// usedUp is the quota of a limit of which nothing is left, and no more is known.
func usedUp(limit int) account.Quota {
	return account.Quota{Limit: limit, ResetAt: time.Now().Add(Window), RetryAfter: interval(limit)}
}

// interval is the time between two requests at a steady rate of limit per Window, in
// the database's resolution.
func interval(limit int) time.Duration {
	return (Window / time.Duration(limit)).Truncate(time.Microsecond)
}

// quota derives the quota from the theoretical arrival time of the next request: how
// far it is ahead of now is how much of the limit is used.
func quota(limit, cost int, tat, now time.Time, allowed bool) account.Quota {
	each := interval(limit)
	free := max(0, each*time.Duration(limit)-max(0, tat.Sub(now)))
	q := account.Quota{Allowed: allowed, Limit: limit, Remaining: int(free / each), ResetAt: tat}
	switch {
	case !allowed:
		q.RetryAfter = max(0, each*time.Duration(cost)-free)
	case q.Remaining == 0:
		q.RetryAfter = each - free
	}
	if tat.Before(now) {
		q.ResetAt = now
	}
	return q
}
