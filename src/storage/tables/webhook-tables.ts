import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { currentSecrets, listed, readDelivery } from '../rows/log-rows.ts'
import { readInteger, readText } from '../rows/row.ts'
import { repeatable, type Statements, Tables } from './statements.ts'

/** Webhook deliveries and signing secrets in either database, except what databases write differently. */
export abstract class WebhookTables<Database extends Statements> extends Tables<Database> {
  /** The column that numbers secrets in the order of their creation. */
  protected abstract readonly secretNumber: string
  /** Further assignments when an attempt has ended. */
  protected readonly ended: string = ''
  /** Stores a secret unless the account has one; of concurrent callers only the first one's is stored. */
  protected abstract createSecret(accountId: string): Promise<void>

  async list(accountId: string): Promise<readonly WebhookDelivery[]> {
    const sql = 'select * from webhook_deliveries where account_id = :accountId order by created_at desc, id limit :listed'
    return (await this.database.all(sql, { accountId, listed }, repeatable)).map(readDelivery)
  }

  async record(id: string, { state, nextAttemptAt, result }: Parameters<WebhookLog['record']>[1]): Promise<void> {
    const sql = `update webhook_deliveries set attempts = attempts + 1, state = :state, next_attempt_at = :nextAttemptAt,
        last_result = :result ${this.ended} where id = :id and state = 'waiting'`
    await this.database.run(sql, { id, state, nextAttemptAt, result })
  }

  async secrets(accountId: string): Promise<readonly string[]> {
    const known = await this.#readSecrets(accountId)
    if (known.length > 0) return known
    await this.createSecret(accountId)
    return this.#readSecrets(accountId)
  }

  async #readSecrets(accountId: string): Promise<readonly string[]> {
    const sql = `select secret, created_at from webhook_secrets where account_id = :accountId order by ${this.secretNumber} desc limit 2`
    const rows = await this.database.all(sql, { accountId }, repeatable)
    const known = rows.map((row) => ({ secret: readText(row, 'secret'), createdAt: readInteger(row, 'created_at') }))
    return currentSecrets(known, this.clock.now())
  }
}
