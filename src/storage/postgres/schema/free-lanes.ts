/**
 * Sums of the queue are written to a lane that no other transaction is writing to. Before, connections with equal last four bits of the
 * process id waited for each other's commits.
 */
export const freeLanes = `
  create function free_lane() returns smallint language plpgsql as $$
  declare lane smallint := pg_backend_pid() % 16;
  begin
    for turn in 1..16 loop
      -- Held until the transaction ends; who has it gets it again.
      if pg_try_advisory_xact_lock(7335742, lane) then
        return lane;
      end if;
      lane := (lane + 1) % 16;
    end loop;
    return lane;
  end $$;
  create or replace function queue_grows() returns trigger language plpgsql as $$
  declare own constant smallint := free_lane();
  begin
    insert into account_totals as total (account_id, lane, pending, bytes)
      select account_id, own, count(*) filter (where not running), sum(stored_bytes)
      from entered group by account_id order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending, bytes = total.bytes + excluded.bytes;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, own, count(*) filter (where not running)
      from entered group by model, priority order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create or replace function queue_shrinks() returns trigger language plpgsql as $$
  declare own constant smallint := free_lane();
  begin
    insert into account_totals as total (account_id, lane, pending, bytes)
      select account_id, own, -count(*) filter (where not running), -sum(stored_bytes)
      from gone group by account_id order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending, bytes = total.bytes + excluded.bytes;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, own, -count(*)
      from gone where not running group by model, priority order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create or replace function queue_turns() returns trigger language plpgsql as $$
  declare own constant smallint := free_lane();
  begin
    insert into account_totals as total (account_id, lane, pending)
      select account_id, own, sum(change) from (
        select account_id, -1 as change from before where not running union all select account_id, 1 from after where not running) as changes
      group by account_id having sum(change) <> 0 order by account_id
      on conflict (account_id, lane) do update set pending = total.pending + excluded.pending;
    insert into model_totals as total (model, priority, lane, pending)
      select model, priority, own, sum(change) from (
        select model, priority, -1 as change from before where not running
        union all select model, priority, 1 from after where not running) as changes
      group by model, priority having sum(change) <> 0 order by model, priority
      on conflict (model, priority, lane) do update set pending = total.pending + excluded.pending;
    return null;
  end $$;
  create or replace function outputs_come() returns trigger language plpgsql as $$
  declare own constant smallint := free_lane();
  begin
    insert into account_totals as total (account_id, lane, bytes)
      select account_id, own, sum(bytes) from entered group by account_id order by account_id
      on conflict (account_id, lane) do update set bytes = total.bytes + excluded.bytes;
    return null;
  end $$;
  create or replace function outputs_go() returns trigger language plpgsql as $$
  declare own constant smallint := free_lane();
  begin
    insert into account_totals as total (account_id, lane, bytes)
      select account_id, own, -sum(bytes) from gone group by account_id order by account_id
      on conflict (account_id, lane) do update set bytes = total.bytes + excluded.bytes;
    return null;
  end $$;
`
