/** What was asked of the service, for as long as people look for it; those there are stand as what they were asked of. */
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
