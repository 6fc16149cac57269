/** How long requests took, counted in buckets (`core/limits/latency.ts`), so that counts of any hours, tokens and models can be added. */
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
