import { hasWords } from '../../rows/request-row.ts'

/** Request records with limited retention; existing inferences are included. */
export const requestTables = `
  create table request_records (
    seq integer primary key autoincrement,
    id text not null,
    account_id text not null,
    token_id text,
    kind text not null,
    model text not null,
    at integer not null,
    excerpt text,
    words text,
    call text,
    outcome text,
    prompt_tokens integer,
    completion_tokens integer,
    images integer,
    duration_ms integer
  ) strict;
  create index request_records_account on request_records (account_id, seq);
  create index request_records_id on request_records (id);
  create index request_records_age on request_records (at);
  insert into request_records (id, account_id, kind, model, at) select id, account_id, kind, model, created_at from inferences order by seq;
`

/** Separate counts of requests refused by limits, and times of first tokens. */
export const refusalTables = `
  alter table usage_entries add column refusals integer not null default 0;
  alter table usage_days add column refusals integer not null default 0;
  alter table usage_details add column refusals integer not null default 0;
  alter table request_records add column refused integer;
  alter table request_records add column first_token_ms integer;
`

/** Latencies counted in buckets (`core/limits/latency.ts`), so that counts can be added over hours, tokens and models. */
export const latencyTables = `
  alter table usage_entries add column whole_bucket integer;
  alter table usage_entries add column first_bucket integer;
  -- Of days (hour -1) and of hours, as in usage_details. What: 0 = the whole request, 1 = until the first token.
  create table usage_latencies (
    day text not null,
    hour integer not null,
    account_id text not null,
    token_id text not null,
    model text not null,
    what integer not null,
    bucket integer not null,
    count integer not null,
    primary key (day, hour, account_id, token_id, model, what, bucket)
  ) strict, without rowid;
  create index usage_latencies_hours on usage_latencies (day) where hour >= 0;
`

/** The trace of an inference's request, for its webhook. */
export const webhookTraces = `
  alter table inferences add column traceparent text;
  alter table webhook_deliveries add column traceparent text;
  drop trigger inference_completes;
  create trigger inference_completes after update of status on inferences when new.status = 'completed' begin
    delete from inference_work where seq = new.seq;
    insert into webhook_deliveries (id, inference_id, account_id, url, traceparent, next_attempt_at, created_at)
      select 'msg_' || lower(hex(randomblob(16))), new.id, new.account_id, new.webhook_url, new.traceparent, new.completed_at, new.completed_at
      where new.webhook_url is not null;
  end;
`

/** The errors of synchronous requests; asynchronous ones have them in `inferences`. */
export const requestErrors = 'alter table request_records add column error text;'

/** The work of an entry, so that a repeated write adds it once; null = the entry of a completion, which cannot be repeated. */
export const usageWork = `
  alter table usage_entries add column work_id text;
  create unique index usage_entries_work on usage_entries (work_id) where work_id is not null;
`

/** Finds the records that still have words without reading the others. */
export const wordIndex = `create index request_records_words on request_records (at) where ${hasWords};`
