import { Compile } from 'typebox/compile'
import { createChatRequestParser } from '../../../src/http/wire/chat/chat-request.ts'
import { publishedBodies } from '../../../src/http/wire/chat/sampling-fields.ts'
import { imageRequestSchema } from '../../../src/http/wire/images/image-fields.ts'

/** Reads a body as POST /v1/chat/completions does. @throws {ServiceError} what the route answers. */
export const readChatBody: (body: unknown) => unknown = createChatRequestParser(publishedBodies)

const imageBody = Compile(imageRequestSchema)

/** The faults of the shape of a body for the image routes; empty if there are none. */
export function findImageBodyFaults(body: unknown): readonly unknown[] {
  return imageBody.Errors(body)
}
