const addToKnown = 'on conflict (account_id, kind) do update set count = known.count + excluded.count, bytes = known.bytes + excluded.bytes'

/** What a statement that only adds or only removes documents does to the sums. */
const addingRows = (
  name: string,
  { from, sign }: { readonly from: string; readonly sign: '' | '-' },
) => `create function ${name}() returns trigger language plpgsql as $$
  begin
    insert into document_sums as known (account_id, kind, count, bytes)
      select account_id, kind, ${sign}count(*), ${sign}sum(bytes) from ${from} group by account_id, kind order by account_id, kind
      ${addToKnown};
    return null;
  end $$;`

/**
 * Count and bytes of each account's documents by kind, kept by the triggers, whichever version of the program writes; what has expired
 * counts until it is taken. Sums are changed in one order, so that statements over many accounts wait for each other and never in a circle.
 */
export const documentSums = `
  lock table documents in share row exclusive mode;
  create table document_sums (
    account_id text collate "C" not null,
    kind text collate "C" not null,
    count bigint not null,
    bytes bigint not null,
    primary key (account_id, kind)
  ) with (fillfactor = 50);
  insert into document_sums (account_id, kind, count, bytes)
    select account_id, kind, count(*), sum(bytes) from documents group by account_id, kind;
  ${addingRows('documents_grow', { from: 'entered', sign: '' })}
  ${addingRows('documents_shrink', { from: 'gone', sign: '-' })}
  create function documents_change() returns trigger language plpgsql as $$
  begin
    insert into document_sums as known (account_id, kind, count, bytes)
      select account_id, kind, sum(change), sum(size) from (
        select account_id, kind, -1 as change, -bytes as size from before
        union all select account_id, kind, 1, bytes from after) as changes
      group by account_id, kind having sum(change) <> 0 or sum(size) <> 0 order by account_id, kind
      ${addToKnown};
    return null;
  end $$;
  create trigger documents_enter after insert on documents referencing new table as entered
    for each statement execute function documents_grow();
  create trigger documents_go after delete on documents referencing old table as gone
    for each statement execute function documents_shrink();
  create trigger documents_change after update on documents referencing old table as before new table as after
    for each statement execute function documents_change();
  create index documents_account_expiry on documents (account_id, expires_at) include (kind, bytes) where expires_at is not null;
`
