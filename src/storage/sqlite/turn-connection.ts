import type { SQLInputValue } from 'node:sqlite'
import type { Row } from '../rows/row.ts'
import { Connection, type Parameters } from './connection.ts'
import { DatabaseDamage } from './database-damage.ts'

/**
 * A reading connection whose reads in one turn of the event loop see one moment of the database. A read by itself begins and ends a transaction, and looks for
 * commits of others, which costs as much as finding a row; many polls that come together share that.
 *
 * After a commit of this process, call {@link endMoment} before it is acknowledged, so that every read that follows sees it.
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

  /** The next read sees what is committed by then. */
  endMoment(): void {
    if (this.#ending === null) return
    clearImmediate(this.#ending)
    this.#ending = null
    this.#version = null
    this.#end('commit')
  }

  /** Ends the transaction. A read-only one has nothing to lose: a reader of a damaged page already has its error, and nothing could handle another one here. */
  #end(how: 'commit' | 'rollback'): void {
    try {
      // An error of the disk ends a transaction by itself.
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
