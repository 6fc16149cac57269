import { isEnabled } from '../../../core/account.ts'
import { ServiceError } from '../../../core/error.ts'
import { requestNotFound } from '../../../operations/deferred/inferences.ts'
import { findOutput, openPicture, readStored } from '../../../operations/deferred/outputs.ts'
import { Thumbnails } from '../../../operations/pictures/thumbnails.ts'
import { readServiceKey } from '../../../operations/service-key.ts'
import { imageContentType } from '../../answers/image-content-type.ts'
import { isSigned, type PictureLink } from '../../links/picture-link.ts'
import type { Call, Route } from '../../route.ts'
import { readThumbnailWidth, thumbnailWidthSchema } from '../../wire/images/thumbnail-width.ts'
import { inPath, inQuery, media } from '../row-parts.ts'

/** GET /v1/images/stored/…: a picture, for everyone who has its signed link. */
export const fetchPicture: Route = {
  method: 'GET',
  path: '/v1/images/stored/{account}/{id}/{index}',
  origin: 'imageUrl',
  summary: 'Fetch an image by its signed link',
  takesLonger: true,
  description: '`response_format: "url"` returns these links; everyone who has a link can see the image for 24 hours.',
  scopes: null,
  parameters: [
    ...['account', 'id', 'index'].map((name) => inPath(name, 'As in the link.')),
    ...['expires', 'signature'].map((name) => inQuery(name, 'As in the link.')),
    inQuery(
      'width',
      'The image as WebP at this width in pixels, or at its original width if that is smaller. You can add this to any link; it is not signed.',
      thumbnailWidthSchema,
    ),
  ],
  answers: [media('The image.', 'image/png', 'image/jpeg', 'image/webp')],
  refusals: [400, 404, 410],
  handle: (deps) => {
    const thumbnails = new Thumbnails(deps)
    return async (call) => {
      const { reply, query, options } = call
      const width = readThumbnailWidth(query.width)
      const link = readLink(call)
      const signature = String(query.signature ?? '')
      // Ids without a valid signature are not looked up.
      if (!isSigned(await readServiceKey(deps, options), link, signature)) throw requestNotFound()
      if (!isEnabled(await deps.accounts.find(link.accountId, options))) throw requestNotFound()
      if (link.expires * 1000 <= deps.clock.now())
        throw new ServiceError('response_expired', 'This link has expired after 24 hours; send the request again.')
      const { accountId, inferenceId, index } = link
      const find = () => findOutput(deps, { id: inferenceId, accountId }, options)
      const { output, expiresAt } = await find()
      const picture = output.images?.pictures[index]
      if (picture === undefined || picture.removedForSafety) throw requestNotFound()
      const read = () => readStored(() => openPicture(deps, { output, picture }, options), find)
      const bytes =
        width === null
          ? await read()
          : await thumbnails.open({ accountId, picture: `${inferenceId}.${index}`, expiresAt, read }, width, options)
      return reply
        .type(imageContentType(bytes))
        .header('cache-control', 'private, max-age=3600, immutable')
        .header('content-disposition', 'inline')
        .header('x-content-type-options', 'nosniff')
        .send(bytes)
    }
  },
}

function readLink({ param, query }: Call): PictureLink {
  const whole = (text: string): number => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1)
  return {
    accountId: param('account'),
    inferenceId: param('id'),
    index: whole(param('index')),
    expires: whole(String(query.expires ?? '')),
  }
}
