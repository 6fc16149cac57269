/** Limits of a minute, of what runs at once, of money and of tokens, and the books by token and hour. */
export const limitTables = `
  alter table accounts add column tokens_per_minute bigint, add column images_per_minute bigint, add column concurrent_requests bigint,
    add column money_per_day bigint, add column money_per_month bigint;
  alter table access_tokens add column requests_per_minute bigint, add column tokens_per_minute bigint, add column images_per_minute bigint,
    add column concurrent_requests bigint, add column tokens_per_day bigint, add column images_per_day bigint, add column money_per_day bigint,
    add column tokens_per_month bigint, add column images_per_month bigint, add column money_per_month bigint;

  -- Which token asked, when, and at what price, in millionths.
  alter table usage_entries add column at bigint not null default 0, add column token_id text collate "C", add column cost bigint not null default 0;
  alter table usage_days add column cost bigint not null default 0;
  create index usage_entries_token on usage_entries (token_id, day) where token_id is not null;
  -- Sums per token, of days (hour -1) and of hours; those of hours go after a while.
  create table usage_details (
    day text collate "C" not null,
    hour smallint not null,
    account_id text collate "C" not null,
    token_id text collate "C" not null,
    model text collate "C" not null,
    requests bigint not null,
    failures bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    images bigint not null,
    cost bigint not null,
    primary key (day, hour, account_id, token_id, model)
  );
  create index usage_details_token on usage_details (token_id, hour, day) where token_id <> '';
  create index usage_details_hours on usage_details (day) where hour >= 0;

  -- Reservations of tokens, of money, and of what runs.
  alter table reservations add column token_id text collate "C", add column cost bigint not null default 0,
    add column running boolean not null default true;
  create index reservations_token on reservations (token_id) where token_id is not null;
  update reservations set running = false where id in (select id::text from queue where not running);
  -- What goes back to the queue waits again.
  create function reservation_waits() returns trigger language plpgsql as $$
  begin
    update reservations set running = false where id = new.id::text and running;
    return null;
  end $$;
  create trigger reservation_waits after update on queue for each row when (old.running and not new.running) execute function reservation_waits();
`
