/** The trace that an inference was asked for in goes on to its webhook. */
export const webhookTraces = `
  alter table inferences add column traceparent text;
  alter table webhook_deliveries add column traceparent text;
  drop trigger inference_completes;
  create trigger inference_completes after update of status on inferences when new.status = 'completed' begin
    delete from inference_work where seq = new.seq;
    insert into webhook_deliveries (id, inference_id, account_id, url, traceparent, next_attempt_at, created_at)
      select 'msg_' || lower(hex(randomblob(16))), new.id, new.account_id, new.webhook_url, new.traceparent, new.completed_at, new.completed_at
      where new.webhook_url is not null;
  end;
`
