/** Sums of what was booked since the last roll-up, by minute, so that a budget is read without adding up every request of the minute. */
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
