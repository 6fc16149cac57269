import Type from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { Route } from '../../route.ts'
import { pngInfoAnswerSchema, pngInfoSchema, readPngInfo } from '../../wire/a1111/extras.ts'
import { encodeProgress, progressSchema, readSkip } from '../../wire/a1111/progress.ts'
import { examplePicture, imageParsingOf } from '../images/drawing.ts'
import { inQuery, json } from '../row-parts.ts'

/** A1111's routes for the progress of drawings and the parameters stored in an image. */
export const a1111ProgressRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sdapi/v1/progress',
    origin: 'imageUrl',
    summary: "Get the progress of an image, in A1111's format",
    description: 'Reports images that /sdapi/v1/… draws for this token on this node. Requests of the next ten minutes get previews.',
    scopes: ['image'],
    parameters: [inQuery('skip_current_image', 'true: no preview.', Type.Boolean({ default: false }))],
    idleQuery: ['skipCurrentImage'],
    answers: [json('The progress.', progressSchema)],
    refusals: [400, 429],
    handle:
      ({ drawings, clock, inspectImage }) =>
      async ({ caller, query, options }) => {
        const [drawing] = drawings.of(caller)
        const { skip_current_image: skip = '' } = query
        const isSkipped = readSkip(String(skip))
        if (!isSkipped) drawings.watch(caller, clock.now())
        const preview = isSkipped ? undefined : drawing?.progress.preview
        const inspecting = { ...options, account: caller.accountId, thumbnailWidth: 512, thumbnailFormat: 'png' } as const
        const { thumbnail } = preview === undefined ? {} : await inspectImage(preview, inspecting).catch(withoutPreview)
        return encodeProgress(drawing, { now: clock.now(), preview: thumbnail })
      },
  },
  {
    method: 'POST',
    path: '/sdapi/v1/interrupt',
    origin: 'imageUrl',
    summary: "Stop the current images, in A1111's format",
    description:
      'Stops images that /sdapi/v1/… draws for this token on this node; their requests are answered without images, and one to /sdapi/v1/extra-single-image with 409.',
    scopes: ['image'],
    answers: [json('The images are stopped.', Type.Object({}))],
    refusals: [429],
    handle:
      ({ drawings }) =>
      async ({ caller }) => {
        for (const drawing of drawings.of(caller)) drawing.interrupt()
        return {}
      },
  },
  {
    method: 'POST',
    path: '/sdapi/v1/png-info',
    origin: 'imageUrl',
    summary: "Read the parameters stored in an image, in A1111's format",
    scopes: ['image'],
    largeBody: true,
    body: pngInfoSchema,
    example: { image: examplePicture },
    answers: [json('The parameters.', pngInfoAnswerSchema)],
    refusals: [413, 415, 422, 429, 503],
    handle: (deps) => (call) => readPngInfo(imageParsingOf(deps, call.caller), synchronousBody(call.incoming).value, call.options),
  },
]

/** Reports the progress without a preview when a remote server's preview is not an image or too many images wait for decoding. */
function withoutPreview(error: unknown): { readonly thumbnail?: Uint8Array } {
  if (error instanceof ServiceError && (error.code === 'validation_error' || error.code === 'server_is_overloaded')) return {}
  throw error
}
