/** Requests that a limit refused, apart from those that failed; and when the first token of a request came. */
export const refusalTables = `
  alter table usage_entries add column refusals integer not null default 0;
  alter table usage_days add column refusals integer not null default 0;
  alter table usage_details add column refusals integer not null default 0;
  alter table request_records add column refused integer;
  alter table request_records add column first_token_ms integer;
`
