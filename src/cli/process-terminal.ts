import { createInterface } from 'node:readline/promises'
import type { Terminal } from './terminal.ts'

/** The standard streams of this process. */
export function openProcessTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    interactive: process.stderr.isTTY === true,
    ask: async (question, { signal }) => {
      if (process.stdin.isTTY !== true) return null
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return await lines.question(question, { signal })
      } finally {
        lines.close()
      }
    },
  }
}
