-- +goose Up
-- The second wall between tenants, beside the condition of every query. Readers for
-- tenants work as stepledger_api: it owns nothing, and row-level security leaves it the
-- rows of the tenant in the setting app.tenant_id. Runners work as
-- stepledger_projector, which owns the read models and nothing else. Whoever migrates
-- becomes a member of both.
--
-- Only the roles are made here. The tables get owners, policies and grants from
-- RaiseWall, which follows at every start: roles may be made later, by whoever may.

-- +goose StatementBegin
do $$
declare
	wanted text;
begin
	foreach wanted in array array['stepledger_api', 'stepledger_projector'] loop
		begin
			execute format('create role %I nologin', wanted);
		exception
			-- Roles are the whole server's: another database's migration may have made it.
			when duplicate_object or unique_violation then null;
		end;
		if not pg_has_role(current_user, wanted, 'usage') then
			-- Since 16 who makes a role may give it to others, but is not in it.
			if current_setting('server_version_num')::integer >= 160000 then
				execute format('grant %I to current_user with inherit true, set true', wanted);
			else
				execute format('grant %I to current_user', wanted);
			end if;
		end if;
	end loop;
exception
	when insufficient_privilege then
		raise warning 'row-level security needs roles that this user may not make: serve says which';
end $$;
-- +goose StatementEnd

-- +goose Down
drop view if exists read.task_text;
-- The roles stay: they are the whole server's, and may have been given to somebody.
-- +goose StatementBegin
do $$
declare
	r record;
begin
	if to_regrole('stepledger_api') is null or to_regrole('stepledger_projector') is null then
		return;
	end if;
	for r in
		select schemaname, tablename, policyname from pg_policies
		where schemaname like 'read\_%' and policyname in ('own_tenant', 'all_tenants')
	loop
		execute format('drop policy %I on %I.%I', r.policyname, r.schemaname, r.tablename);
		execute format('alter table %I.%I disable row level security', r.schemaname, r.tablename);
	end loop;
	for r in
		select n.nspname, c.relname, c.relowner,
			case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
			c.reloptions @> array['security_invoker=true'] as invoker
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where (n.nspname = 'read' or n.nspname like 'read\_%') and c.relkind in ('r', 'p', 'v', 'S')
			and c.relname not like 'goose\_%'
	loop
		execute format('revoke all on %I.%I from stepledger_api', r.nspname, r.relname);
		if r.nspname <> 'read' and to_regrole('billing_reader') is not null then
			execute format('revoke all on %I.%I from billing_reader', r.nspname, r.relname);
		end if;
		if r.invoker then
			execute format('alter view %I.%I reset (security_invoker)', r.nspname, r.relname);
		end if;
		if r.relowner = to_regrole('stepledger_projector') then
			execute format('alter %s %I.%I owner to current_user', r.kind, r.nspname, r.relname);
		end if;
	end loop;
	for r in
		select nspname, nspowner from pg_namespace where nspname = 'read' or nspname like 'read\_%'
	loop
		execute format('revoke all on schema %I from stepledger_api', r.nspname);
		if r.nspowner = to_regrole('stepledger_projector') then
			execute format('alter schema %I owner to current_user', r.nspname);
		else
			execute format('revoke all on schema %I from stepledger_projector', r.nspname);
		end if;
	end loop;
	execute format('revoke create on database %I from stepledger_projector', current_database());
end $$;
-- +goose StatementEnd
