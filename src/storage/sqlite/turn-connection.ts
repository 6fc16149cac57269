import type { SQLInputValue } from 'node:sqlite'
import type { Row } from '../rows/row.ts'
import { Connection, type Parameters } from './connection.ts'
import { DatabaseDamage } from './database-damage.ts'

/**
 * A reading connection that uses one transaction, and so one snapshot, per turn of the event loop. Beginning and ending a transaction costs
 * as much as finding a row; concurrent polls share that cost.
 *
 * After a commit of this process, call {@link endMoment} before acknowledging it, so that all later reads see it.
 */
export class TurnConnection extends Connection {
  #ending: NodeJS.Immediate | null = null
  #version: number | null = null

  readonly #damage: DatabaseDamage

  constructor(file: string, damage: DatabaseDamage = new DatabaseDamage()) {
    super(file, { readOnly: true })
    this.#damage = damage
  }

  override get(sql: string, parameters?: Parameters): Row | undefined {
    return this.#read(() => super.get(sql, parameters))
  }

  override list(sql: string, parameters: readonly SQLInputValue[]): readonly unknown[] | undefined {
    return this.#read(() => super.list(sql, parameters))
  }

  override all(sql: string, parameters?: Parameters): readonly Row[] {
    return this.#read(() => super.all(sql, parameters))
  }

  override dataVersion(): number {
    this.#begin()
    this.#version ??= super.dataVersion()
    return this.#version
  }

  /** Ends the snapshot; the next read sees all commits so far. */
  endMoment(): void {
    if (this.#ending === null) return
    clearImmediate(this.#ending)
    this.#ending = null
    this.#version = null
    this.#end('commit')
  }

  /**
   * Ends the transaction. Errors are ignored: a read-only transaction has nothing to lose, and a read of a damaged page has already
   * reported its error.
   */
  #end(how: 'commit' | 'rollback'): void {
    try {
      // A disk error may have ended the transaction.
      if (this.database.isTransaction) this.run(how)
    } catch {
      if (how === 'commit') this.#end('rollback')
    }
  }

  override [Symbol.dispose](): void {
    this.endMoment()
    super[Symbol.dispose]()
  }

  #read<Found>(find: () => Found): Found {
    try {
      this.#begin()
      return find()
    } catch (error) {
      throw this.#damage.name(error)
    }
  }

  #begin(): void {
    if (this.#ending !== null) return
    this.run('begin')
    this.#ending = setImmediate(() => this.endMoment())
  }
}
