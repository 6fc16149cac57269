import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Machine } from './machine.ts'
import { type ParsedConfig, parseConfig } from './parse-config.ts'
import type { ConfigFault, SettingSources } from './setting-sources.ts'

const defaultFile = 'sepia.config.json'

/** Reads the configuration file that flags or environment name (or `sepia.config.json`, if it is there), then every setting. */
export async function loadConfig({ flags, environment, ...others }: Omit<SettingSources, 'file'>, machine: Machine): Promise<ParsedConfig> {
  const named = flags.config ?? (environment.SEPIA_CONFIG || undefined)
  if (named !== undefined && (typeof named !== 'string' || named === '')) {
    return { faults: [{ where: '--config', message: 'expected the path of one file.' }] }
  }
  const read = await readConfigFile(resolve(machine.folder, named ?? defaultFile), { required: named !== undefined })
  const parsed = parseConfig({ flags, environment, file: 'file' in read ? read.file : null, ...others }, machine)
  if ('file' in read) return parsed
  const faults = [read.fault, ...('faults' in parsed ? parsed.faults : [])]
  const attempted = 'faults' in parsed ? parsed.attempted : parsed.config
  return { faults, ...(attempted && { attempted }) }
}

async function readConfigFile(
  path: string,
  { required }: { readonly required: boolean },
): Promise<{ readonly file: SettingSources['file'] } | { readonly fault: ConfigFault }> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing && !required) return { file: null }
    return { fault: { where: path, message: missing ? 'there is no such file.' : `cannot be read: ${String(error)}` } }
  }
  try {
    return { file: { path, content: JSON.parse(content) } }
  } catch (error) {
    return { fault: { where: path, message: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` } }
  }
}
