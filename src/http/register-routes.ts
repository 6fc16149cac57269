import type { FastifyInstance } from 'fastify'
import type { HttpDependencies, RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import { registerApiDocument } from './routes/api-document.ts'
import { registerApiReference } from './routes/api-reference.ts'
import { registerAssets } from './routes/assets/assets.ts'
import { registerTransferAsset } from './routes/assets/transfer-asset.ts'
import { registerBatches } from './routes/batches/batches.ts'
import { registerCreateChatCompletion } from './routes/chat/create-chat-completion.ts'
import { registerStoredChats } from './routes/chat/stored-chats.ts'
import { registerCreateCompletion } from './routes/create-completion.ts'
import { registerCreateEmbedding } from './routes/create-embedding.ts'
import { registerDetokenize } from './routes/detokenize.ts'
import { registerDocs } from './routes/docs.ts'
import { registerCreateFile } from './routes/files/create-file.ts'
import { registerKeptFiles } from './routes/files/kept-files.ts'
import { registerHealth } from './routes/health.ts'
import { registerCreateImage } from './routes/images/create-image.ts'
import { registerEditImage } from './routes/images/edit-image.ts'
import { registerFetchPicture } from './routes/images/fetch-picture.ts'
import { registerGenerateImage } from './routes/images/generate-image.ts'
import { registerListModels } from './routes/list-models.ts'
import { registerApplyTemplate } from './routes/llama-cpp/apply-template.ts'
import { registerCreateInfill } from './routes/llama-cpp/create-infill.ts'
import { registerCreateNativeCompletion } from './routes/llama-cpp/create-native-completion.ts'
import { registerCreateNativeEmbedding } from './routes/llama-cpp/create-native-embedding.ts'
import { registerServerState } from './routes/llama-cpp/server-state.ts'
import { registerLoadModel } from './routes/load-model.ts'
import { registerCountMessageTokens } from './routes/messages/count-message-tokens.ts'
import { registerCreateMessage } from './routes/messages/create-message.ts'
import { registerMetrics } from './routes/metrics.ts'
import { registerRequests } from './routes/requests.ts'
import { registerRerank } from './routes/rerank.ts'
import { registerCountResponseTokens } from './routes/responses/count-response-tokens.ts'
import { registerCompactResponse, registerCreateResponse } from './routes/responses/create-response.ts'
import { registerKeptResponses } from './routes/responses/kept-responses.ts'
import { registerShowUsage } from './routes/show-usage.ts'
import { registerTokenize } from './routes/tokenize.ts'
import { registerWebhooks } from './routes/webhooks.ts'

/** The routes that need no access token: health checks and the API document. */
export async function registerPublicRoutes(server: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): Promise<void> {
  registerHealth(server, deps)
  if (settings.probesOnly) return
  registerApiDocument(server, deps, settings)
  registerApiReference(server, deps)
  registerDocs(server)
  registerFetchPicture(server, deps)
  await registerTransferAsset(server, deps)
}

/** The routes that need an access token. */
export async function registerTokenRoutes(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): Promise<void> {
  registerMetrics(api, deps)
  if (settings.probesOnly) return
  registerCreateChatCompletion(api, deps, settings)
  registerStoredChats(api, deps, settings)
  registerCreateMessage(api, deps, settings)
  registerCountMessageTokens(api, deps, settings)
  registerCreateCompletion(api, deps, settings)
  registerCreateEmbedding(api, deps, settings)
  registerCreateNativeCompletion(api, deps, settings)
  registerCreateInfill(api, deps, settings)
  registerCreateNativeEmbedding(api, deps, settings)
  registerApplyTemplate(api, deps, settings)
  registerServerState(api, deps)
  registerRerank(api, deps, settings)
  registerTokenize(api, deps, settings)
  registerDetokenize(api, deps, settings)
  registerGenerateImage(api, deps, settings)
  registerCreateImage(api, deps, settings)
  registerEditImage(api, deps, settings)
  registerCreateFile(api, deps, settings)
  registerKeptFiles(api, deps)
  registerBatches(api, deps, settings)
  registerRequests(api, deps, settings)
  registerCreateResponse(api, deps, settings)
  registerCompactResponse(api, deps, settings)
  registerCountResponseTokens(api, deps, settings)
  registerKeptResponses(api, deps, settings)
  registerWebhooks(api, deps)
  registerListModels(api, deps)
  registerLoadModel(api, deps)
  registerShowUsage(api, deps)
  registerAssets(api, deps)
}
