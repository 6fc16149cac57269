import type { Command } from './command.ts'
import { createAccount } from './commands/accounts/create-account.ts'
import { disableAccount, enableAccount } from './commands/accounts/disable-account.ts'
import { limitAccount } from './commands/accounts/limit-account.ts'
import { linkAccount } from './commands/accounts/link-account.ts'
import { listAccounts } from './commands/accounts/list-accounts.ts'
import { logAccount, makeLogKey } from './commands/accounts/log-account.ts'
import { resetSecondFactor } from './commands/accounts/reset-second-factor.ts'
import { backup } from './commands/backup.ts'
import { completion } from './commands/completion.ts'
import { createToken } from './commands/create-token.ts'
import { doctor } from './commands/doctor.ts'
import { limitToken } from './commands/limit-token.ts'
import { listDevices } from './commands/list-devices.ts'
import { listModels } from './commands/list-models.ts'
import { listTokens } from './commands/list-tokens.ts'
import { migrate } from './commands/migrate.ts'
import { pullModel } from './commands/pull-model.ts'
import { removeModel } from './commands/remove-model.ts'
import { restore } from './commands/restore.ts'
import { revokeToken } from './commands/revoke-token.ts'
import { searchModels } from './commands/search-models.ts'
import { serve } from './commands/serve.ts'
import { chat, runModel } from './commands/service/chat.ts'
import { draw } from './commands/service/draw.ts'
import { loadModel, unloadModel } from './commands/service/load-model.ts'
import { login, logout } from './commands/service/login.ts'
import { cancelRequest, fetchOutput, listRequests, showRequest, waitForRequest } from './commands/service/requests.ts'
import { showStatus } from './commands/service/show-status.ts'
import { showUsage } from './commands/service/show-usage.ts'
import { showConfig } from './commands/show-config.ts'
import { showManual } from './commands/show-manual.ts'
import { showVersion } from './commands/show-version.ts'
import { suggestModels } from './commands/suggest-models.ts'

/** Every command, in the order the help lists them. */
export const commands: readonly Command[] = [
  serve,
  showConfig,
  login,
  logout,
  chat,
  runModel,
  draw,
  showStatus,
  listRequests,
  showRequest,
  waitForRequest,
  fetchOutput,
  cancelRequest,
  showUsage,
  createToken,
  listTokens,
  limitToken,
  revokeToken,
  createAccount,
  listAccounts,
  disableAccount,
  enableAccount,
  limitAccount,
  logAccount,
  makeLogKey,
  linkAccount,
  resetSecondFactor,
  listDevices,
  listModels,
  loadModel,
  unloadModel,
  pullModel,
  searchModels,
  suggestModels,
  removeModel,
  backup,
  restore,
  migrate,
  doctor,
  completion,
  showManual,
  showVersion,
]
