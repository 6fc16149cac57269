/** Limits per minute, of concurrency, of money and of tokens, and usage by token and hour. */
export const limitTables = `
  -- Limits of a minute, of what runs at once and of money, and limits of tokens beside those of their accounts.
  alter table accounts add column tokens_per_minute integer;
  alter table accounts add column images_per_minute integer;
  alter table accounts add column concurrent_requests integer;
  alter table accounts add column money_per_day integer;
  alter table accounts add column money_per_month integer;
  alter table access_tokens add column requests_per_minute integer;
  alter table access_tokens add column tokens_per_minute integer;
  alter table access_tokens add column images_per_minute integer;
  alter table access_tokens add column concurrent_requests integer;
  alter table access_tokens add column tokens_per_day integer;
  alter table access_tokens add column images_per_day integer;
  alter table access_tokens add column money_per_day integer;
  alter table access_tokens add column tokens_per_month integer;
  alter table access_tokens add column images_per_month integer;
  alter table access_tokens add column money_per_month integer;

  -- Which token asked, when, and at what price, in millionths.
  alter table usage_entries add column at integer not null default 0;
  alter table usage_entries add column token_id text;
  alter table usage_entries add column cost integer not null default 0;
  alter table usage_days add column cost integer not null default 0;
  create index usage_entries_token on usage_entries (token_id, day) where token_id is not null;
  -- Sums per token, of days (hour -1) and of hours; those of hours go after a while.
  create table usage_details (
    day text not null,
    hour integer not null,
    account_id text not null,
    token_id text not null,
    model text not null,
    requests integer not null,
    failures integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    images integer not null,
    cost integer not null,
    primary key (day, hour, account_id, token_id, model)
  ) strict, without rowid;
  create index usage_details_token on usage_details (token_id, hour, day) where token_id <> '';
  create index usage_details_hours on usage_details (day) where hour >= 0;

  -- Reservations of tokens, of money, and of what runs; the sums are those of accounts and of tokens.
  alter table reservations add column token_id text;
  alter table reservations add column cost integer not null default 0;
  alter table reservations add column running integer not null default 1;
  drop trigger reservation_begins;
  drop trigger reservation_ends;
  drop table reserved_sums;
  create table reserved_sums (
    subject text primary key,
    tokens integer not null,
    images integer not null,
    cost integer not null,
    running integer not null,
    running_tokens integer not null,
    running_images integer not null,
    check (tokens >= 0 and images >= 0 and cost >= 0 and running >= 0)
  ) strict, without rowid;
  update reservations set running = 0 where id in (select id from inferences where status = 'pending');
  insert into reserved_sums (subject, tokens, images, cost, running, running_tokens, running_images)
    select account_id, sum(tokens), sum(images), 0, sum(running), sum(tokens * running), sum(images * running) from reservations group by account_id;
  create trigger reservation_begins after insert on reservations begin
    insert into reserved_sums (subject, tokens, images, cost, running, running_tokens, running_images)
      select subject, new.tokens, new.images, new.cost, new.running, new.tokens * new.running, new.images * new.running
      from (select new.account_id as subject union all select new.token_id) where subject is not null
      on conflict do update set tokens = tokens + excluded.tokens, images = images + excluded.images, cost = cost + excluded.cost,
        running = running + excluded.running, running_tokens = running_tokens + excluded.running_tokens,
        running_images = running_images + excluded.running_images;
  end;
  create trigger reservation_ends after delete on reservations begin
    update reserved_sums set tokens = tokens - old.tokens, images = images - old.images, cost = cost - old.cost, running = running - old.running,
        running_tokens = running_tokens - old.tokens * old.running, running_images = running_images - old.images * old.running
      where subject in (old.account_id, old.token_id);
    delete from reserved_sums where subject in (old.account_id, old.token_id) and tokens = 0 and images = 0 and cost = 0 and running = 0;
  end;
  -- What goes back to the queue waits again.
  create trigger reservation_waits after update of status on inferences when old.status = 'running' and new.status = 'pending' begin
    update reserved_sums set running = running - 1, running_tokens = running_tokens - held.tokens, running_images = running_images - held.images
      from (select account_id, token_id, tokens, images from reservations where id = new.id and running = 1) as held
      where subject in (held.account_id, held.token_id);
    update reservations set running = 0 where id = new.id;
  end;
`
