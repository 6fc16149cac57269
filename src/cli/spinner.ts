import type { Terminal } from './terminal.ts'

const quietMs = 500
const turnMs = 100
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/**
 * Turns on standard error with the seconds that went by, for what takes more than half a second and tells no progress, only where a
 * person watches; disposing it clears the line.
 */
export function openSpinner({ err, interactive }: Pick<Terminal, 'err' | 'interactive'>, label: string): Disposable {
  let turns = 0
  const draw = () => {
    turns += 1
    const ms = turns * turnMs
    if (ms > quietMs) err(`\r${frames[turns % frames.length]} ${label} … ${Math.floor(ms / 1000)} s\u001b[K`)
  }
  const timer = interactive ? setInterval(draw, turnMs) : undefined
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      if (turns * turnMs > quietMs) err('\r\u001b[2K')
    },
  }
}
