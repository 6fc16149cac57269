import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'

export interface ScryptCost {
  /** Work factor, a power of two. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** 32 MB and three passes. @see OWASP Password Storage Cheat Sheet, scrypt */
const passwordCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3 }

/** Twice the memory of {@link passwordCost}. */
const maxmem = 64 * 1024 * 1024
const keyBytes = 32
const saltBytes = 16
const atOnce = 2
const maxWaiting = 16
const shape = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/

/**
 * Hashes and checks passwords with scrypt, a few at a time, so that a flood of sign-ins cannot use up memory and threads.
 *
 * @throws {ServiceError} `server_is_overloaded` from every method when too many wait already.
 */
export class PasswordHasher {
  readonly #cost: ScryptCost
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(cost: ScryptCost = passwordCost) {
    this.#cost = cost
  }

  /** A salted hash with its own cost: `scrypt$N$r$p$salt$key`. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    return print(this.#cost, salt, await this.#derive(password, salt, this.#cost))
  }

  /** Whether a password matches. For an unknown account (`null`) it takes the same time and returns false. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const match = shape.exec(hash ?? print(this.#cost, randomBytes(saltBytes), randomBytes(keyBytes)))
    if (match === null) return false
    const [, N, r, p, salt = '', key = ''] = match
    const expected = Buffer.from(key, 'base64url')
    const actual = await this.#derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
    return hash !== null && actual.length === expected.length && timingSafeEqual(actual, expected)
  }

  async #derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
    await this.#enter()
    try {
      return await deriveKey(password.normalize('NFKC'), salt, { ...cost, maxmem })
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= maxWaiting)
        throw new ServiceError('server_is_overloaded', 'Too many people are signing in; try again in a few seconds.', {
          retryAfterSeconds: 5,
        })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running += 1
  }
}

function print({ N, r, p }: ScryptCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
