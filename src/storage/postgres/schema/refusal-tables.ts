/** Requests that a limit refused, apart from those that failed; and when the first token of a request came. */
export const refusalTables = `
  alter table usage_entries add column refusals bigint not null default 0;
  alter table usage_days add column refusals bigint not null default 0;
  alter table usage_details add column refusals bigint not null default 0;
  alter table request_records add column refused bigint, add column first_token_ms bigint;
`
