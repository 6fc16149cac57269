import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { truncationFields } from '../chat/embedding-request.ts'
import { acceptedFields } from '../chat/fields/accepted-fields.ts'

const maxDocuments = 2048

const written = Type.String({ minLength: 1 })

/** The body of POST /v1/rerank, in the format of Jina, Cohere, llama.cpp and vLLM, or of Hugging Face's TEI. */
export const rerankRequestSchema = closed({
  model: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'A model with the capability rerank, see /v1/models; may be left out where there is only one.',
    }),
  ),
  query: Type.String({ minLength: 1, description: 'The query.' }),
  ...optional({
    documents: Type.Array(Type.Union([written, closed({ text: written })]), {
      minItems: 1,
      maxItems: maxDocuments,
      description: 'The texts to score, or objects with `text`.',
    }),
    texts: Type.Array(written, {
      minItems: 1,
      maxItems: maxDocuments,
      description: "Replaces `documents` in TEI's format; the answer uses it too.",
    }),
    top_n: integerField(1, 2 ** 31 - 1, 'Number of results, best first; all by default.'),
    return_documents: Type.Boolean({ default: false, description: 'With `documents`: whether results contain their text.' }),
    return_text: Type.Boolean({ default: false, description: 'With `texts`: whether results contain their text.' }),
  }),
  ...truncationFields,
  user: acceptedFields.user,
})

type RerankBody = Static<typeof rerankRequestSchema>

/** A checked body, and its answer's format. */
export interface ParsedRerank {
  readonly model: string | undefined
  readonly query: string
  readonly documents: readonly string[]
  /** Maximum number of results. */
  readonly most: number
  readonly withTexts: boolean
  readonly words: 'jina' | 'tei'
}

const checker = createBodyChecker(rerankRequestSchema)

/** Reads the body of POST /v1/rerank. @throws {ServiceError} naming every fault at once. */
export function parseRerankRequest(received: unknown): ParsedRerank {
  const body = checker.parse(received, textFaultCodes)
  refuseFaults(findRerankFaults(body), textFaultCodes)
  const { model, query, texts, documents = [] } = body
  const listed = texts ?? documents.map((document) => (typeof document === 'string' ? document : document.text))
  return {
    model,
    query,
    documents: listed,
    most: Math.min(body.top_n ?? listed.length, listed.length),
    withTexts: body.return_documents ?? body.return_text ?? false,
    words: texts === undefined ? 'jina' : 'tei',
  }
}

function findRerankFaults({ documents, texts, return_documents, return_text }: RerankBody): readonly FieldFault[] {
  if (documents === undefined && texts === undefined) return [fieldFault('documents', 'is required: add a list of texts.', 'missing')]
  if (documents !== undefined && texts !== undefined) return [fieldFault('texts', 'contradicts `documents`; send one of them.')]
  if (texts !== undefined && return_documents !== undefined)
    return [fieldFault('return_documents', 'belongs to `documents`; send `return_text`.')]
  if (documents !== undefined && return_text !== undefined)
    return [fieldFault('return_text', 'belongs to `texts`; send `return_documents`.')]
  return []
}
