import { isRecord } from '../core/is-record.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import { environmentName } from './setting.ts'
import type { ConfigFault, SettingSources } from './setting-sources.ts'
import { allSettings } from './settings.ts'

/** Variables that steer the test suite, not the service. */
const testVariables = /^SEPIA_(CI$|CHROMIUM$|TEST_)/

/** Variables of the commands that talk to a running service. */
const clientVariables = ['SEPIA_URL', 'SEPIA_TOKEN']

/** A fault for every flag, `SEPIA_` variable and key of the file that no setting has. */
export function findUnknownNames(sources: SettingSources): readonly ConfigFault[] {
  const keys = allSettings.map(({ name }) => name)
  const flags = [...keys, 'config'].map((name) => `--${name}`)
  const variables = [...[...keys, 'config'].map(environmentName), ...clientVariables]
  const { file } = sources
  return [
    ...Object.keys(sources.flags)
      .map((name) => `--${name}`)
      .filter((flag) => !flags.includes(flag))
      .map((flag) => ({ where: flag, message: `there is no such flag.${didYouMean(flag, flags)}` })),
    ...Object.keys(sources.environment)
      .filter((variable) => variable.startsWith('SEPIA_') && !variables.includes(variable) && !testVariables.test(variable))
      .map((variable) => ({ where: variable, message: `there is no such variable.${didYouMean(variable, variables)}` })),
    ...(file === null ? [] : unknownKeys(file, keys)),
  ]
}

function unknownKeys({ path, content }: NonNullable<SettingSources['file']>, keys: readonly string[]): readonly ConfigFault[] {
  if (!isRecord(content)) return [{ where: path, message: 'expected a JSON object with one key per setting.' }]
  return Object.keys(content)
    .filter((key) => !keys.includes(key))
    .map((key) => ({ where: `"${key}" in ${path}`, message: `there is no such key.${didYouMean(key, keys)}` }))
}
