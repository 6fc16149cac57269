import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a line that the page shows in a shell, and returns what it printed. */
export async function runLine(line: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env: { ...process.env, ...environment } })
  return stdout
}
