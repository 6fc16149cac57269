import type { Command } from './command.ts'
import { completion, listDevices, showConfig, showManual, showVersion } from './commands/about.ts'
import { logAccount, makeLogKey } from './commands/account-log.ts'
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  limitAccount,
  linkAccount,
  listAccounts,
  resetSecondFactor,
} from './commands/accounts.ts'
import { backup, doctor, migrate, restore } from './commands/data.ts'
import { importModels, listModels, pullModel, removeModel, searchModels, suggestModels } from './commands/models.ts'
import { serve } from './commands/serve.ts'
import { chat, runModel } from './commands/service/chat.ts'
import { draw } from './commands/service/draw.ts'
import { login, logout } from './commands/service/login.ts'
import { cancelRequest, fetchOutput, listRequests, showRequest, waitForRequest } from './commands/service/requests.ts'
import { loadModel, showStatus, unloadModel } from './commands/service/status.ts'
import { showUsage } from './commands/service/usage.ts'
import { createToken, limitToken, listTokens, revokeToken } from './commands/tokens.ts'

/** All commands, in the order of the help. */
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
  deleteAccount,
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
  importModels,
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
