/** What nodes count together. Requests of a minute need not survive a crash of the server. */
export const countTables = `
  create unlogged table request_minutes (
    subject text collate "C" primary key,
    minute bigint not null,
    asked bigint not null
  ) with (fillfactor = 50);
  -- Open streams and waiting polls, as far as a process keeps room for them.
  create table kept_places (
    subject text collate "C" not null,
    holder uuid not null,
    places integer not null,
    primary key (subject, holder)
  );
`
