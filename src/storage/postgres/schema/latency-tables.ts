/** How long requests took, counted in buckets (`core/limits/latency.ts`), so that counts of any hours, tokens and models can be added. */
export const latencyTables = `
  alter table usage_entries add column whole_bucket smallint, add column first_bucket smallint;
  -- Of days (hour -1) and of hours, as in usage_details. What: 0 = the whole request, 1 = until the first token.
  create table usage_latencies (
    day text collate "C" not null,
    hour smallint not null,
    account_id text collate "C" not null,
    token_id text collate "C" not null,
    model text collate "C" not null,
    what smallint not null,
    bucket smallint not null,
    count bigint not null,
    primary key (day, hour, account_id, token_id, model, what, bucket)
  );
  create index usage_latencies_hours on usage_latencies (day) where hour >= 0;
`
