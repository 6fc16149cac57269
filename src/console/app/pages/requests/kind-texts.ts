import type { NumberedRequest } from '../../../../core/ports/request-log.ts'
import { t } from '../../language/t.ts'

/** What a request asked for. */
export const kindTexts: Readonly<Record<NumberedRequest['kind'], string>> = {
  image: t`Picture`,
  chat: t`Chat`,
  completion: t`Completion`,
  embedding: t`Embedding`,
  rerank: t`Ranking`,
}
