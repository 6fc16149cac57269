import type { ThrottleKey } from './sign-in-throttle.ts'

/** Guesses are counted for one person from one address, for one address, and, generously, for one person from anywhere. */
export function signInKeys(email: string, address: string): readonly ThrottleKey[] {
  const person = email.toLowerCase()
  return [
    { name: `${person} from ${address}`, free: 5 },
    { name: `from ${address}`, free: 30 },
    { name: person, free: 100 },
  ]
}

/** Guesses of one-time codes are counted for one address; the codes themselves cannot be guessed. */
export function codeKeys(address: string): readonly ThrottleKey[] {
  return [{ name: `codes from ${address}`, free: 20 }]
}
