/** Limits per minute, of concurrency, of money and of tokens, and usage by token and hour. */
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

const addToKnown = 'on conflict (account_id, kind) do update set count = known.count + excluded.count, bytes = known.bytes + excluded.bytes'

/** Triggers for statements that only add or only remove documents. */
const addingRows = (
  name: string,
  { from, sign }: { readonly from: string; readonly sign: '' | '-' },
) => `create function ${name}() returns trigger language plpgsql as $$
  begin
    insert into document_sums as known (account_id, kind, count, bytes)
      select account_id, kind, ${sign}count(*), ${sign}sum(bytes) from ${from} group by account_id, kind order by account_id, kind
      ${addToKnown};
    return null;
  end $$;`

/**
 * Number and bytes of each account's documents by kind, maintained by triggers for all program versions; expired documents count until they
 * are removed. Sums are changed in a fixed order, so that statements over many accounts cannot deadlock.
 */
export const documentSums = `
  lock table documents in share row exclusive mode;
  create table document_sums (
    account_id text collate "C" not null,
    kind text collate "C" not null,
    count bigint not null,
    bytes bigint not null,
    primary key (account_id, kind)
  ) with (fillfactor = 50);
  insert into document_sums (account_id, kind, count, bytes)
    select account_id, kind, count(*), sum(bytes) from documents group by account_id, kind;
  ${addingRows('documents_grow', { from: 'entered', sign: '' })}
  ${addingRows('documents_shrink', { from: 'gone', sign: '-' })}
  create function documents_change() returns trigger language plpgsql as $$
  begin
    insert into document_sums as known (account_id, kind, count, bytes)
      select account_id, kind, sum(change), sum(size) from (
        select account_id, kind, -1 as change, -bytes as size from before
        union all select account_id, kind, 1, bytes from after) as changes
      group by account_id, kind having sum(change) <> 0 or sum(size) <> 0 order by account_id, kind
      ${addToKnown};
    return null;
  end $$;
  create trigger documents_enter after insert on documents referencing new table as entered
    for each statement execute function documents_grow();
  create trigger documents_go after delete on documents referencing old table as gone
    for each statement execute function documents_shrink();
  create trigger documents_change after update on documents referencing old table as before new table as after
    for each statement execute function documents_change();
  create index documents_account_expiry on documents (account_id, expires_at) include (kind, bytes) where expires_at is not null;
`
