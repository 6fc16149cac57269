import { defined } from '../../../../core/defined.ts'
import { curlSample, pythonSample, type Sample } from '../../interface/code-samples.ts'
import type { ImageRequestBody } from '../../interface/submit-image.ts'

/**
 * An image request as a call in three languages and with the original service's client. Uploaded pictures are represented by placeholders.
 */
export function imageSamples(url: string, body: ImageRequestBody): readonly Sample[] {
  const { init_image, mask_image, reference_images, controlnets, ...plain } = body
  const picture = '<base64>'
  const shown = {
    ...plain,
    ...defined({
      init_image: init_image && picture,
      mask_image: mask_image && picture,
      reference_images: reference_images?.map(() => picture),
      controlnets: controlnets?.map((each) => ({ ...each, image: picture })),
    }),
  }
  return [
    { language: 'curl', code: `${curlSample(url, shown, ['Accept: image/png'])} \\\n  -o image.png` },
    {
      language: 'JavaScript',
      code: `import { writeFile } from 'node:fs/promises'

const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.TOKEN}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(shown, null, 2).replaceAll('\n', '\n  ')}),
})
const { images } = await response.json()
await writeFile('image.${extension(body)}', Buffer.from(images[0].image_b64, 'base64'))`,
    },
    {
      language: 'Python',
      code: pythonSample(
        url,
        shown,
        `with open("image.${extension(body)}", "wb") as file:
    file.write(base64.b64decode(response.json()["images"][0]["image_b64"]))`,
        'base64, os, requests',
      ),
    },
    {
      language: '@octoai/client',
      code: `// npm install @octoai/client
import { writeFile } from 'node:fs/promises'
import { Client } from '@octoai/client'

const client = new Client(process.env.TOKEN)
const { images } = await client.infer('${url}', ${JSON.stringify(shown, null, 2)})
await writeFile('image.${extension(body)}', Buffer.from(images[0].image_b64, 'base64'))`,
    },
  ]
}

function extension({ image_encoding }: ImageRequestBody): string {
  return image_encoding === 'png' ? 'png' : image_encoding === 'webp' ? 'webp' : 'jpg'
}
