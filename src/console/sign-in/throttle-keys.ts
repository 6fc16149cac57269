import { clientAddress } from '../../http/limits/client-address.ts'
import type { ThrottleKey } from './sign-in-throttle.ts'

/**
 * Guesses are counted per account and network, and per network. They are never counted per account alone: that would let anyone lock out the
 * account's owner.
 */
export function signInKeys(email: string, address: string): readonly ThrottleKey[] {
  const place = clientAddress(address)
  return [
    { name: `${email.toLowerCase()} from ${place}`, free: 5, forgiving: true },
    { name: `from ${place}`, free: 30, forgiving: false },
  ]
}

/** A browser that has signed in before has its own count, wherever it is. */
export function knownBrowserKeys(browserId: string): readonly ThrottleKey[] {
  return [{ name: `browser ${browserId}`, free: 10, forgiving: true }]
}

/** Guesses of the account's own password within a session. */
export function ownPasswordKeys(accountId: string): readonly ThrottleKey[] {
  return [{ name: `own password of ${accountId}`, free: 10, forgiving: true }]
}

/**
 * Guesses of a second factor, which need the password. Like those of passwords, they are counted per network or known browser, so that a
 * stranger does not lock out the account's owner. Guesses from all unknown browsers are also counted together: codes are short, and addresses
 * cheap. The owner can still sign in from a known browser.
 */
export function secondFactorKeys(
  accountId: string,
  { address, browser }: { readonly address: string; readonly browser: string | null },
): readonly ThrottleKey[] {
  if (browser !== null) return [{ name: `second factor of ${accountId} in browser ${browser}`, free: 5, forgiving: true }]
  return [
    { name: `second factor of ${accountId} from ${clientAddress(address)}`, free: 5, forgiving: true },
    { name: `second factor of ${accountId} from anywhere`, free: 100, forgiving: true },
  ]
}

/** Guesses while a second factor is set up, within a session. */
export function ownSecondFactorKeys(accountId: string): readonly ThrottleKey[] {
  return [{ name: `own second factor of ${accountId}`, free: 5, forgiving: true }]
}

/** Refused passkeys, counted per network. */
export function passkeyKeys(address: string): readonly ThrottleKey[] {
  return [{ name: `passkeys from ${clientAddress(address)}`, free: 30, forgiving: false }]
}

/** Wrong one-time codes, counted per network. */
export function codeKeys(address: string): readonly ThrottleKey[] {
  return [{ name: `codes from ${clientAddress(address)}`, free: 20, forgiving: false }]
}

/** Failed returns from the organisation's provider, counted per network. */
export function returnKeys(address: string): readonly ThrottleKey[] {
  return [{ name: `returns to ${clientAddress(address)}`, free: 30, forgiving: false }]
}
