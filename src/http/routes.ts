import type { Route } from './route.ts'
import { a1111DrawingRoutes } from './routes/a1111/drawing.ts'
import { a1111InventoryRoutes } from './routes/a1111/inventory.ts'
import { a1111ProgressRoutes } from './routes/a1111/progress.ts'
import { apiDocumentRoutes } from './routes/api-document.ts'
import { assetRoutes } from './routes/assets/assets.ts'
import { batchRoutes } from './routes/batches.ts'
import { createChatCompletion } from './routes/chat/chat-completions.ts'
import { storedChatRoutes } from './routes/chat/stored-chats.ts'
import { createCompletion } from './routes/completions.ts'
import { docsRoutes } from './routes/docs.ts'
import { createEmbedding, rerank } from './routes/embeddings.ts'
import { fileRoutes } from './routes/files.ts'
import { drawingRoutes } from './routes/images/drawing.ts'
import { openAiImageRoutes } from './routes/images/openai-images.ts'
import { fetchPicture } from './routes/images/stored-pictures.ts'
import { nativeCompletionRoutes } from './routes/llama-cpp/native-completions.ts'
import { nativeReadingRoutes } from './routes/llama-cpp/native-reading.ts'
import { serverStateRoutes } from './routes/llama-cpp/server-state.ts'
import { messageRoutes } from './routes/messages.ts'
import { loadingRoutes, modelRoutes } from './routes/models.ts'
import { ollamaEmbeddingRoutes } from './routes/ollama/embeddings.ts'
import { ollamaModelRoutes } from './routes/ollama/models.ts'
import { ollamaRunRoutes } from './routes/ollama/runs.ts'
import { requestRoutes } from './routes/requests.ts'
import { keptResponseRoutes } from './routes/responses/kept-responses.ts'
import { responseRoutes } from './routes/responses/responses.ts'
import { probeRoutes, showUsage } from './routes/service.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { webhookRoutes } from './routes/webhooks.ts'

/** Every route of the public interface, in the order of the API document. */
export const routes: readonly Route[] = [
  ...drawingRoutes,
  createChatCompletion,
  ...storedChatRoutes,
  ...messageRoutes,
  ...responseRoutes,
  ...keptResponseRoutes,
  createCompletion,
  createEmbedding,
  rerank,
  ...tokenRoutes,
  ...nativeCompletionRoutes,
  ...nativeReadingRoutes,
  ...serverStateRoutes,
  ...ollamaRunRoutes,
  ...ollamaEmbeddingRoutes,
  ...ollamaModelRoutes,
  ...a1111DrawingRoutes,
  ...a1111ProgressRoutes,
  ...a1111InventoryRoutes,
  ...openAiImageRoutes,
  fetchPicture,
  ...fileRoutes,
  ...batchRoutes,
  ...requestRoutes,
  ...webhookRoutes,
  ...assetRoutes,
  ...modelRoutes,
  ...loadingRoutes,
  showUsage,
  ...probeRoutes,
  ...apiDocumentRoutes,
  ...docsRoutes,
]
