import type { Config } from '../config/settings.ts'
import type { BodyKeys } from '../core/ports/body-keys.ts'
import { openBodyKeys } from '../storage/filesystem/open-body-keys.ts'
import { dataLayout } from './data-layout.ts'

type RequestLogConfig = Pick<Config, 'accounts' | 'dataFolder' | 'database'>

/** The file of the keys of the request log. */
export function bodyKeysFile({ accounts, dataFolder }: RequestLogConfig): string {
  return accounts.requestLog.keysFile ?? dataLayout(dataFolder).bodyKeysFile
}

/** The keys of the request log. Where nodes share a database only the operator makes one: each would make another. */
export function openRequestLogKeys(config: RequestLogConfig): Promise<BodyKeys> {
  const mayBegin = config.accounts.requestLog.keysFile === null && config.database.type === 'embedded'
  return openBodyKeys({ file: bodyKeysFile(config), mayBegin })
}
