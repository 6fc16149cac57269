/**
 * Count and bytes of each account's documents by kind, kept by the triggers; what has expired counts until it is taken. Documents are
 * replaced by updates: SQLite tells no trigger of a row that `insert or replace` removes.
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
