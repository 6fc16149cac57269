/** Tables of deferred inferences in the first version; storage/postgres/design.md explains them. */
export const queueTables = `
  create sequence inference_numbers cache 1;

  -- A record for every inference there is, by the day in its id. What happens to it while it lives stands in the queue.
  create table inferences (
    id uuid not null primary key,
    seq bigint not null default nextval('inference_numbers'),
    account_id text collate "C" not null,
    kind text not null,
    model text collate "C" not null,
    priority smallint not null,
    attempt integer not null default 0,
    created_at bigint not null,
    started_at bigint,
    completed_at bigint,
    expires_at bigint,
    outcome text,
    error text,
    output_key text,
    content_type text,
    output_bytes bigint,
    output_sha256 text,
    output_images text
  ) partition by range (id);
  create index inferences_account on inferences (account_id, seq);
  create trigger inference_stays_completed before update on inferences for each row
    when (old.outcome is not null) execute function refuse_change();

  -- Ids without a day, of earlier versions of the service, and of days that have no partition yet.
  create table inferences_other partition of inferences default with (fillfactor = 70);
  create index inferences_other_expiry on inferences_other (expires_at) where expires_at is not null;

  -- What waits or runs. Its rows go with their completion, so that it stays as short as the work there is.
  create table queue (
    id uuid primary key,
    seq bigint not null,
    account_id text collate "C" not null,
    kind text not null,
    model text collate "C" not null,
    priority smallint not null,
    -- Turns between accounts: work with equal tags takes its turn in the order of submission.
    tag bigint not null,
    running boolean not null default false,
    attempt integer not null default 0,
    lost integer not null default 0,
    failed integer not null default 0,
    step integer,
    total integer,
    worker_id text,
    -- Of the claim that took it, so that a claim whose answer got lost can be given back.
    claim uuid,
    lease_until bigint,
    cancel_requested boolean not null default false,
    not_before bigint not null default 0,
    created_at bigint not null,
    started_at bigint,
    webhook_url text,
    work_format smallint not null,
    stored_bytes bigint not null,
    body bytea not null
  ) with (fillfactor = 60);
  -- Bodies hold pictures, which do not get smaller.
  alter table queue alter column body set storage external;
  create index queue_turn on queue (model, priority desc, tag, seq) where not running;
  create index queue_account on queue (account_id, model, priority, tag);
  create index queue_age on queue (created_at) where not running;
  create index queue_running on queue (id) where running;

  create table idempotency_keys (
    account_id text collate "C" not null,
    key text collate "C" not null,
    id uuid not null,
    fingerprint text not null,
    webhook_url text,
    created_at bigint not null,
    primary key (account_id, key)
  );
  create index idempotency_keys_age on idempotency_keys (created_at);

  -- Outputs that are kept, until their retention is over.
  create table stored_outputs (
    id uuid primary key,
    account_id text collate "C" not null,
    output_key text not null,
    bytes bigint not null,
    expires_at bigint not null
  );
  create index stored_outputs_expiry on stored_outputs (expires_at);

  -- How much waits and is stored, kept by the triggers below. Each connection adds to a lane of its own, so that none waits for another.
  create table account_totals (
    account_id text collate "C" not null,
    lane smallint not null,
    pending bigint not null default 0,
    bytes bigint not null default 0,
    primary key (account_id, lane)
  ) with (fillfactor = 50);
  create table model_totals (
    model text collate "C" not null,
    priority smallint not null,
    lane smallint not null,
    pending bigint not null default 0,
    primary key (model, priority, lane)
  ) with (fillfactor = 50);

  create function queue_grows() returns trigger language plpgsql as $$
  begin
    insert into account_totals as total (account_id, lane, pending, bytes)
      select account_id, pg_backend_pid() % 16, count(*) filter (where not running), sum(stored_bytes)
      from entered group by account_id order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending, bytes = total.bytes + excluded.bytes;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, pg_backend_pid() % 16, count(*) filter (where not running)
      from entered group by model, priority order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create function queue_shrinks() returns trigger language plpgsql as $$
  begin
    insert into account_totals as total (account_id, lane, pending, bytes)
      select account_id, pg_backend_pid() % 16, -count(*) filter (where not running), -sum(stored_bytes)
      from gone group by account_id order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending, bytes = total.bytes + excluded.bytes;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, pg_backend_pid() % 16, -count(*)
      from gone where not running group by model, priority order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create function queue_turns() returns trigger language plpgsql as $$
  begin
    insert into account_totals as total (account_id, lane, pending)
      select account_id, pg_backend_pid() % 16, sum(change) from (
        select account_id, -1 as change from before where not running union all select account_id, 1 from after where not running) as changes
      group by account_id having sum(change) <> 0 order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, pg_backend_pid() % 16, sum(change) from (
        select model, priority, -1 as change from before where not running
        union all select model, priority, 1 from after where not running) as changes
      group by model, priority having sum(change) <> 0 order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create trigger queue_grows after insert on queue referencing new table as entered for each statement execute function queue_grows();
  create trigger queue_shrinks after delete on queue referencing old table as gone for each statement execute function queue_shrinks();
  create trigger queue_turns after update on queue referencing old table as before new table as after
    for each statement execute function queue_turns();

  create function outputs_come() returns trigger language plpgsql as $$
  begin
    insert into account_totals as total (account_id, lane, bytes)
      select account_id, pg_backend_pid() % 16, sum(bytes) from entered group by account_id order by account_id
      on conflict (account_id, lane) do update set bytes = total.bytes + excluded.bytes;
    return null;
  end $$;
  create function outputs_go() returns trigger language plpgsql as $$
  begin
    insert into account_totals as total (account_id, lane, bytes)
      select account_id, pg_backend_pid() % 16, -sum(bytes) from gone group by account_id order by account_id
      on conflict (account_id, lane) do update set bytes = total.bytes + excluded.bytes;
    return null;
  end $$;
  create trigger outputs_come after insert on stored_outputs referencing new table as entered for each statement execute function outputs_come();
  create trigger outputs_go after delete on stored_outputs referencing old table as gone for each statement execute function outputs_go();
`
