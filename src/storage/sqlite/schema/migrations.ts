import { sessionExpiry } from '../../tables/account-tables.ts'
import { documentSums, openSums } from './document-sums.ts'
import { limitTables } from './limit-tables.ts'
import { latencyTables, refusalTables, requestErrors, requestTables, usageWork, webhookTraces, wordIndex } from './request-tables.ts'

/** All migrations, one per version; `pragma user_version` counts applied ones. A released migration never changes. */
export const migrations: readonly string[] = [
  `
  create table accounts (
    id text primary key,
    name text not null,
    email text,
    email_key text unique,
    password_hash text,
    role text not null,
    created_at integer not null,
    disabled_at integer
  ) strict;

  create table sessions (
    hash text primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid;
  create index sessions_account on sessions (account_id);

  create table invitations (
    hash text primary key,
    role text not null,
    account_id text,
    invited_by text,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid;

  create table access_tokens (
    id text primary key,
    account_id text not null,
    name text not null,
    hash text not null unique,
    hint text not null,
    scopes text not null,
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    last_used_at integer
  ) strict;
  create index access_tokens_account on access_tokens (account_id);

  create table usage_days (
    day text not null,
    account_id text not null,
    model text not null,
    requests integer not null,
    failures integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    images integer not null,
    primary key (day, account_id, model)
  ) strict, without rowid;

  create table inferences (
    seq integer primary key autoincrement,
    id text not null unique,
    account_id text not null,
    kind text not null,
    model text not null,
    priority integer not null,
    status text not null default 'pending',
    outcome text,
    error text,
    content_type text,
    output_bytes integer,
    output_sha256 text,
    output_deleted integer not null default 0,
    attempt integer not null default 0,
    lost integer not null default 0,
    failed integer not null default 0,
    step integer,
    total integer,
    worker_id text,
    lease_until integer,
    cancel_requested integer not null default 0,
    not_before integer not null default 0,
    created_at integer not null,
    queued_at integer not null,
    started_at integer,
    completed_at integer,
    expires_at integer,
    idempotency_key text,
    fingerprint text,
    webhook_url text,
    check ((status = 'completed') = (outcome is not null)),
    check (outcome is not 'succeeded' or output_sha256 is not null)
  ) strict;
  create unique index inferences_idempotency on inferences (account_id, idempotency_key) where idempotency_key is not null;
  create index inferences_pending on inferences (model, priority, account_id, seq) where status = 'pending';
  create index inferences_waiting on inferences (queued_at) where status = 'pending';
  create index inferences_running on inferences (lease_until) where status = 'running';
  create index inferences_account on inferences (account_id, seq);
  create index inferences_expiry on inferences (output_deleted, expires_at) where status = 'completed';

  create table inference_work (
    seq integer primary key references inferences (seq) on delete cascade,
    body blob not null
  ) strict;

  -- Pending inferences per model, priority and account, and whose turn it is; kept by the triggers below.
  create table queue_shares (
    model text not null,
    priority integer not null,
    account_id text not null,
    pending integer not null,
    turn integer not null default 0,
    primary key (model, priority, account_id),
    check (pending >= 0)
  ) strict, without rowid;
  create index queue_shares_waiting on queue_shares (model, priority, pending) where pending > 0;
  create index queue_shares_turn on queue_shares (turn);

  create table webhook_deliveries (
    id text primary key,
    inference_id text not null,
    account_id text not null,
    url text not null,
    attempts integer not null default 0,
    next_attempt_at integer not null,
    state text not null default 'waiting',
    last_result text,
    created_at integer not null
  ) strict;
  create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'waiting';
  create index webhook_deliveries_account on webhook_deliveries (account_id, created_at);
  create index webhook_deliveries_inference on webhook_deliveries (inference_id);

  create table webhook_secrets (
    account_id text not null,
    secret text not null,
    created_at integer not null,
    primary key (account_id, secret)
  ) strict;

  create trigger inference_enters_queue after insert on inferences when new.status = 'pending' begin
    insert into queue_shares (model, priority, account_id, pending) values (new.model, new.priority, new.account_id, 1)
      on conflict do update set pending = pending + 1;
  end;
  create trigger inference_returns_to_queue after update of status on inferences when old.status <> 'pending' and new.status = 'pending' begin
    update queue_shares set pending = pending + 1
      where model = new.model and priority = new.priority and account_id = new.account_id;
  end;
  create trigger inference_leaves_queue after update of status on inferences when old.status = 'pending' and new.status <> 'pending' begin
    update queue_shares set pending = pending - 1
      where model = new.model and priority = new.priority and account_id = new.account_id;
  end;
  create trigger inference_completes after update of status on inferences when new.status = 'completed' begin
    delete from inference_work where seq = new.seq;
    insert into webhook_deliveries (id, inference_id, account_id, url, next_attempt_at, created_at)
      select 'msg_' || lower(hex(randomblob(16))), new.id, new.account_id, new.webhook_url, new.completed_at, new.completed_at
      where new.webhook_url is not null;
  end;
  create trigger inference_stays_completed before update of status, outcome, attempt, output_sha256 on inferences when old.status = 'completed' begin
    select raise(abort, 'a completed inference never changes');
  end;
  create trigger inference_is_forgotten after delete on inferences begin
    delete from webhook_deliveries where inference_id = old.id;
  end;
  `,
  `
  alter table accounts add column requests_per_minute integer;
  alter table accounts add column tokens_per_day integer;
  alter table accounts add column images_per_day integer;
  `,
  `
  -- What gave somebody a way in ends with the right to it, and does not come back with that.
  create trigger account_is_disabled after update of disabled_at on accounts when new.disabled_at is not null begin
    delete from sessions where account_id = new.id;
    delete from invitations where account_id = new.id or invited_by = new.id;
  end;
  create trigger owner_is_demoted after update of role on accounts when new.role <> 'owner' begin
    delete from invitations where invited_by = new.id and account_id is not new.id;
  end;
  delete from sessions where account_id in (select id from accounts where disabled_at is not null);
  delete from invitations where account_id in (select id from accounts where disabled_at is not null)
    or invited_by in (select id from accounts where disabled_at is not null)
    or (invited_by in (select id from accounts where role <> 'owner') and account_id is not invited_by);
  `,
  `
  -- Where each output lies; up to now the file was named after the attempt.
  alter table inferences add column output_key text;
  update inferences set output_key = id || '.' || attempt where output_sha256 is not null;
  `,
  `
  -- What a disabled account has waiting ends; what runs is told to.
  create trigger account_loses_work after update of disabled_at on accounts when new.disabled_at is not null begin
    update inferences set status = 'completed', outcome = 'cancelled', completed_at = new.disabled_at, expires_at = new.disabled_at + 86400000,
        error = '{"code":"request_cancelled","message":"The request was cancelled before it finished.","param":null}'
      where account_id = new.id and status = 'pending';
    update inferences set cancel_requested = 1 where account_id = new.id and status = 'running';
  end;
  update accounts set disabled_at = disabled_at where disabled_at is not null;
  `,
  `
  -- What work that runs or waits can use at most, of accounts with a limit; the sums are kept by the triggers.
  create table reservations (
    id text primary key,
    account_id text not null,
    tokens integer not null,
    images integer not null
  ) strict, without rowid;
  create table reserved_sums (
    account_id text primary key,
    tokens integer not null,
    images integer not null,
    check (tokens >= 0 and images >= 0)
  ) strict, without rowid;
  create trigger reservation_begins after insert on reservations begin
    insert into reserved_sums (account_id, tokens, images) values (new.account_id, new.tokens, new.images)
      on conflict do update set tokens = tokens + excluded.tokens, images = images + excluded.images;
  end;
  create trigger reservation_ends after delete on reservations begin
    update reserved_sums set tokens = tokens - old.tokens, images = images - old.images where account_id = old.account_id;
  end;
  create trigger inference_settles after update of status on inferences when new.status = 'completed' begin
    delete from reservations where id = new.id;
  end;
  `,
  `
  -- Work in a format that a program cannot read is not for it to claim.
  alter table inferences add column work_format integer not null default 1;
  -- Entries since the last roll-up into usage_days.
  create table usage_entries (
    seq integer primary key autoincrement,
    day text not null,
    account_id text not null,
    model text not null,
    failures integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    images integer not null
  ) strict;
  create index usage_entries_account on usage_entries (account_id, day);
  -- Lists by status and account, and deliveries fair between accounts.
  create index inferences_status on inferences (account_id, status, seq);
  drop index webhook_deliveries_due;
  create index webhook_deliveries_due on webhook_deliveries (account_id, next_attempt_at) where state = 'waiting';
  -- What waits keeps the age of its submission.
  update inferences set queued_at = created_at where status <> 'completed' and queued_at <> created_at;
  `,
  `
  -- What each account has stored: work that waits or runs with what its output is expected to take, and outputs; kept by the triggers.
  alter table inferences add column stored_bytes integer not null default 0;
  update inferences set stored_bytes = coalesce((select length(body) from inference_work where seq = inferences.seq), 0) where status <> 'completed';
  create table stored_sums (account_id text primary key, bytes integer not null) strict, without rowid;
  insert into stored_sums (account_id, bytes)
    select account_id, sum(case when status <> 'completed' then stored_bytes when output_deleted = 0 then coalesce(output_bytes, 0) else 0 end)
    from inferences group by account_id;
  create trigger inference_is_stored after insert on inferences begin
    insert into stored_sums (account_id, bytes) values (new.account_id, new.stored_bytes)
      on conflict do update set bytes = bytes + excluded.bytes;
  end;
  create trigger output_is_stored after update of status on inferences when new.status = 'completed' and old.status <> 'completed' begin
    update stored_sums set bytes = bytes - old.stored_bytes + coalesce(new.output_bytes, 0) where account_id = new.account_id;
  end;
  create trigger output_is_deleted after update of output_deleted on inferences when new.output_deleted = 1 and old.output_deleted = 0 begin
    update stored_sums set bytes = bytes - coalesce(new.output_bytes, 0) where account_id = new.account_id;
  end;
  `,
  `
  -- Where the pictures of an output lie; null where nobody noted it.
  alter table inferences add column output_images text;
  `,
  `
  -- Where sessions were opened, for whoever looks through his own.
  alter table sessions add column address text;
  alter table sessions add column agent text;

  -- Who did what, from where; nothing in it changes or goes.
  create table audit_entries (
    seq integer primary key autoincrement,
    at integer not null,
    action text not null,
    account_id text,
    address text,
    subject text,
    detail text
  ) strict;
  create trigger audit_stays_as_it_was before update on audit_entries begin
    select raise(abort, 'an entry of the audit log never changes');
  end;
  create trigger audit_stays before delete on audit_entries begin
    select raise(abort, 'an entry of the audit log never goes');
  end;
  `,
  `
  -- What accounts keep besides requests; the text is in lower case and only searched.
  create table documents (
    kind text not null,
    id text not null,
    account_id text not null,
    value text not null,
    at integer not null,
    label text,
    text text not null,
    attached_bytes integer not null,
    expires_at integer,
    version integer not null,
    bytes integer not null,
    primary key (kind, id)
  ) strict;
  create index documents_account on documents (account_id, kind, bytes, expires_at);
  create index documents_list on documents (kind, account_id, at, id);
  create index documents_label on documents (kind, label, at, id) where label is not null;
  create index documents_expiry on documents (expires_at) where expires_at is not null;
  `,
  `
  -- Budgets of a month beside those of a day.
  alter table accounts add column tokens_per_month integer;
  alter table accounts add column images_per_month integer;
  `,
  limitTables,
  // Limits on an account's storage and waiting requests, and its weight.
  `
  alter table accounts add column weight integer;
  alter table accounts add column pending_requests integer;
  alter table accounts add column open_streams integer;
  alter table accounts add column stored_bytes integer;
  -- How many of its turn's claims an account has had.
  alter table queue_shares add column taken integer not null default 0;
  `,
  requestTables,
  // Time of a session's last use.
  'alter table sessions add column last_used_at integer;',
  latencyTables,
  documentSums,
  webhookTraces,
  refusalTables,
  openSums,
  requestErrors,
  usageWork,
  // For whom an invitation is.
  'alter table invitations add column note text;',
  wordIndex,
  sessionExpiry,
]
