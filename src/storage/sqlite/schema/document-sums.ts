/**
 * Number and bytes of each account's documents by kind, maintained by triggers; expired documents count until they are removed. Documents
 * must be replaced by updates: SQLite does not fire delete triggers for rows replaced by `insert or replace`.
 */
export const documentSums = `
  create table document_sums (
    account_id text not null,
    kind text not null,
    count integer not null,
    bytes integer not null,
    primary key (account_id, kind)
  ) strict, without rowid;
  insert into document_sums (account_id, kind, count, bytes)
    select account_id, kind, count(*), sum(bytes) from documents group by account_id, kind;
  create trigger document_is_kept after insert on documents begin
    insert into document_sums (account_id, kind, count, bytes) values (new.account_id, new.kind, 1, new.bytes)
      on conflict do update set count = count + 1, bytes = bytes + excluded.bytes;
  end;
  create trigger document_changes after update of bytes on documents when new.bytes <> old.bytes begin
    update document_sums set bytes = bytes - old.bytes + new.bytes where account_id = new.account_id and kind = new.kind;
  end;
  create trigger document_keeps_its_owner before update of kind, account_id on documents
      when new.kind <> old.kind or new.account_id <> old.account_id begin
    select raise(abort, 'a document never changes its kind or its account');
  end;
  create trigger document_goes after delete on documents begin
    update document_sums set count = count - 1, bytes = bytes - old.bytes where account_id = old.account_id and kind = old.kind;
  end;
  drop index documents_account;
  create index documents_account_expiry on documents (account_id, expires_at, kind, bytes) where expires_at is not null;
`

/** Sums of usage since the last roll-up by minute, so that reading a budget does not add up every request of the minute. */
export const openSums = `
  create table usage_open_sums (
    -- An account or a token.
    subject text not null,
    day text not null,
    -- Its first millisecond.
    minute integer not null,
    entries integer not null,
    tokens integer not null,
    images integer not null,
    cost integer not null,
    primary key (subject, day, minute)
  ) strict, without rowid;
  insert into usage_open_sums
    select account_id, day, at / 60000 * 60000, count(*), sum(prompt_tokens + completion_tokens), sum(images), sum(cost)
    from usage_entries group by 1, 2, 3;
  insert into usage_open_sums
    select token_id, day, at / 60000 * 60000, count(*), sum(prompt_tokens + completion_tokens), sum(images), sum(cost)
    from usage_entries where token_id is not null group by 1, 2, 3;
  create trigger usage_entry_counts after insert on usage_entries begin
    insert into usage_open_sums (subject, day, minute, entries, tokens, images, cost)
      select value, new.day, new.at / 60000 * 60000, 1, new.prompt_tokens + new.completion_tokens, new.images, new.cost
      from json_each(json_array(new.account_id, new.token_id)) where value is not null
      on conflict do update set entries = entries + 1, tokens = tokens + excluded.tokens, images = images + excluded.images, cost = cost + excluded.cost;
  end;
  create trigger usage_entry_goes after delete on usage_entries begin
    update usage_open_sums set entries = entries - 1, tokens = tokens - old.prompt_tokens - old.completion_tokens, images = images - old.images,
        cost = cost - old.cost
      where subject in (old.account_id, old.token_id) and day = old.day and minute = old.at / 60000 * 60000;
    delete from usage_open_sums
      where subject in (old.account_id, old.token_id) and day = old.day and minute = old.at / 60000 * 60000 and entries = 0;
  end;
`
