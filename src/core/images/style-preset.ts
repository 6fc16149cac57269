import { ServiceError } from '../error.ts'
import type { ImageRequest } from '../image-generation.ts'
import { shortName } from '../requests/request-record.ts'

/** A named style: words around a prompt, and words for the negative prompt. */
export interface StylePreset {
  readonly name: string
  /** Contains `{prompt}` once, the place of the request's prompt. */
  readonly prompt: string
  /** Put before the request's negative prompt; empty = nothing to add. */
  readonly negativePrompt: string
}

const rows: readonly (readonly [name: string, prompt: string, negativePrompt: string])[] = [
  ['3d-model', 'clean 3d model of {prompt}, smooth shading, soft studio light, careful render', 'flat, sketch, photo grain, low poly'],
  ['abstract', 'abstract composition of {prompt}, bold shapes, free colour, strong rhythm', 'realistic, photograph, literal detail'],
  [
    'advertising',
    'advertising photograph of {prompt}, spotless, bright, appealing, sharp product focus',
    'dirty, dull, amateur, cluttered',
  ],
  ['alien', 'otherworldly {prompt}, strange biology, unknown materials, eerie beauty', 'ordinary, earthly, plain'],
  [
    'analog-film',
    'analog film photograph of {prompt}, faded colours, light leak, 35mm grain',
    'digital, over-sharpened, painting, drawing',
  ],
  ['anime', 'anime key frame of {prompt}, clean cel shading, expressive lines, vivid sky', 'photograph, 3d render, rough, deformed'],
  ['architectural', 'architectural view of {prompt}, precise lines, considered light, structure in focus', 'warped lines, people, clutter'],
  ['art-deco', 'art deco poster of {prompt}, gilded geometry, symmetry, elegant curves', 'rustic, messy, modern photograph'],
  [
    'art-nouveau',
    'art nouveau illustration of {prompt}, flowing plant lines, ornate border, muted gold',
    'straight lines, industrial, modern',
  ],
  ['base', '{prompt}', ''],
  ['biomechanical', 'biomechanical {prompt}, bone and steel grown together, intricate tubing', 'natural, soft, cheerful'],
  ['charcoal', 'charcoal drawing of {prompt}, smudged shadows, toothy paper, loose strokes', 'colour, photograph, glossy'],
  [
    'cinematic',
    'cinematic still of {prompt}, shallow focus, anamorphic light, graded colour, film look',
    'cartoon, drawing, flat light, snapshot',
  ],
  ['collage', 'paper collage of {prompt}, torn edges, layered cuttings, mixed textures', 'smooth, single texture, photograph'],
  ['comic-book', 'comic book panel of {prompt}, inked outlines, halftone dots, dynamic angle', 'photograph, blurry, washed out'],
  ['craft-clay', 'hand-made clay figure of {prompt}, finger marks, matte surface, tabletop light', 'metal, glossy, flat drawing'],
  ['cubist', 'cubist painting of {prompt}, broken planes, many viewpoints, earthy palette', 'photograph, smooth, single viewpoint'],
  ['cyberpunk', 'cyberpunk {prompt}, neon rain, dense city, chrome and holograms, night', 'rural, daylight, historic'],
  ['digital-art', 'detailed digital painting of {prompt}, luminous colour, confident brushwork', 'photograph, rough sketch, low detail'],
  ['disco', 'disco scene of {prompt}, mirror ball sparkle, saturated light, seventies glamour', 'dull, grey, minimal'],
  ['dreamscape', 'dreamlike {prompt}, floating forms, soft haze, impossible light', 'harsh, ordinary, documentary'],
  ['dystopian', 'dystopian {prompt}, heavy sky, ruined scale, muted colour, silent tension', 'cheerful, bright, clean'],
  ['enhance', 'finely detailed {prompt}, crisp, balanced light, rich texture', 'blurry, noisy, distorted, low quality'],
  ['expressionist', 'expressionist painting of {prompt}, raw colour, distorted form, urgent strokes', 'calm, realistic, photographic'],
  ['fairy-tale', 'storybook picture of {prompt}, warm lantern light, enchanted mood, gentle detail', 'grim, modern, photographic'],
  ['fantasy-art', 'epic fantasy painting of {prompt}, sweeping light, mythic scale, intricate costume', 'modern, photograph, plain'],
  [
    'fighting-game',
    'fighting game screen of {prompt}, two rivals face to face, arena backdrop, bold impact poses',
    'still life, muted, photograph',
  ],
  ['film-noir', 'film noir frame of {prompt}, black and white, hard shadows, smoke, night', 'colour, daylight, cheerful'],
  ['flat-papercut', 'flat papercut of {prompt}, crisp silhouettes, few colours, thin shadows', 'depth, photograph, gradients'],
  ['food-photography', 'food photograph of {prompt}, fresh, appetising, side light, shallow focus', 'unappetising, dry, plastic'],
  ['futuristic', 'futuristic {prompt}, clean curves, glowing detail, advanced materials', 'antique, rustic, worn'],
  ['gothic', 'gothic {prompt}, pointed arches, deep shadow, candle light, solemn mood', 'bright, modern, playful'],
  ['graffiti', 'street graffiti of {prompt}, spray paint, drips, bold outline, brick wall', 'clean canvas, photograph, subtle'],
  ['grunge', 'grunge picture of {prompt}, scratched surface, torn prints, stained paper, rough energy', 'clean, polished, symmetrical'],
  [
    'gta',
    'crime adventure cover art of {prompt}, hard ink shadows, sunset city, sharp posterised portrait',
    'soft, pastel, medieval, photograph',
  ],
  ['hdr', 'high dynamic range photograph of {prompt}, deep shadows and open highlights, vivid detail', 'flat, dull, low contrast'],
  ['horror', 'unsettling horror scene of {prompt}, dim light, creeping dread, grime', 'cheerful, bright, cute'],
  ['hyperrealism', 'hyperrealistic painting of {prompt}, every pore and thread, exact light', 'abstract, loose, cartoon'],
  ['impressionist', 'impressionist painting of {prompt}, broken colour, flickering light, open air', 'sharp, photographic, hard edges'],
  ['infrared', 'infrared photograph of {prompt}, pale foliage, dark sky, dreamy glow', 'normal colour, indoor, drawing'],
  ['isometric', 'isometric miniature of {prompt}, tidy angles, soft shadow, small scale detail', 'perspective, photograph, crooked'],
  ['kawaii', 'kawaii {prompt}, round shapes, pastel colour, tiny smile, adorable', 'scary, realistic, dark'],
  ['kirigami', 'kirigami {prompt}, cut and folded paper, pop-up layers, clean shadows', 'paint, flat print, metal'],
  [
    'legend-of-zelda',
    'heroic fairy adventure game scene of {prompt}, green meadows, ancient ruins, soft cel shading',
    'modern city, gritty, photograph',
  ],
  ['line-art', 'line art of {prompt}, even ink line, empty background, economical', 'shading, colour, photograph'],
  ['long-exposure', 'long exposure photograph of {prompt}, light trails, silky motion, still background', 'frozen motion, drawing'],
  ['low-poly', 'low poly {prompt}, faceted surfaces, simple colours, soft ambient light', 'smooth, detailed texture, photograph'],
  ['minecraft', 'voxel world of {prompt}, large cubes, square textures, blocky landscape', 'round, smooth, photograph'],
  ['minimalist', 'minimalist {prompt}, much empty space, few elements, quiet colour', 'busy, ornate, cluttered'],
  [
    'modeling-compound',
    'modelling compound sculpture of {prompt}, soft coloured dough, rounded shapes, hand-pressed',
    'metal, sharp edges, flat drawing',
  ],
  ['monochrome', 'monochrome picture of {prompt}, rich greys, strong tone, texture', 'colour, washed out'],
  ['nautical', 'nautical scene of {prompt}, salt air, rope and sail, weathered wood', 'desert, indoors, urban'],
  ['neon-noir', 'neon noir scene of {prompt}, wet streets, coloured signs in deep shadow, lone mood', 'daylight, cheerful, pastel'],
  ['neon-punk', 'neon punk {prompt}, glowing magenta and cyan, ultraviolet haze, sleek and moody', 'natural light, muted, rustic'],
  ['oil-painting', 'oil painting of {prompt}, thick strokes, canvas weave, layered glazes', 'photograph, flat, digital look'],
  ['origami', 'origami {prompt}, folded paper, sharp creases, plain backdrop', 'drawing, wet, cluttered'],
  ['paper-mache', 'paper mache figure of {prompt}, layered newspaper, rough painted surface, crafted', 'glossy, digital, smooth plastic'],
  ['paper-quilling', 'paper quilling of {prompt}, rolled coloured strips, fine spirals, raised relief', 'paint, photograph, flat'],
  [
    'papercut-collage',
    'papercut collage of {prompt}, overlapping cut sheets, mixed prints, visible edges',
    'smooth gradients, render, photograph',
  ],
  ['papercut-shadow-box', 'paper shadow box of {prompt}, many layers, back light, deep miniature scene', 'flat, single layer, photograph'],
  ['pastel', 'soft pastel drawing of {prompt}, chalky colour, blended edges, gentle light', 'hard line, dark, photograph'],
  ['photographic', 'photograph of {prompt}, natural light, true colour, sharp focus, fine lens', 'drawing, painting, render, deformed'],
  ['pixel-art', 'pixel art of {prompt}, small sprite grid, limited palette, crisp squares', 'smooth, blurry, photograph'],
  ['pointillism', 'pointillist painting of {prompt}, countless dots of pure colour', 'lines, flat areas, photograph'],
  [
    'pokemon',
    'cute collectible creature game art of {prompt}, clean outline, bright flat colour, big eyes',
    'realistic, gritty, photograph',
  ],
  ['pop-art', 'pop art print of {prompt}, flat bright colour, thick outline, repetition', 'muted, realistic, subtle'],
  ['psychedelic', 'psychedelic poster of {prompt}, swirling patterns, glowing clashing colour', 'plain, grey, realistic'],
  [
    'real-estate',
    'real estate photograph of {prompt}, bright rooms, wide lens, straight verticals, inviting',
    'dark, cluttered, crooked, drawing',
  ],
  ['renaissance', 'renaissance oil portrait style {prompt}, soft modelling, balanced composition, aged varnish', 'modern, neon, cartoon'],
  [
    'retro-arcade',
    'retro arcade screen of {prompt}, chunky sprites, glowing cabinet colours, high score mood',
    'photograph, modern render, realistic',
  ],
  ['retro-game', 'retro video game screen of {prompt}, sixteen colours, scanlines, arcade charm', 'photograph, high resolution, realistic'],
  [
    'rpg-fantasy-game',
    'fantasy role-playing game scene of {prompt}, ornate armour, magic glow, detailed backdrop',
    'modern, plain, photograph',
  ],
  ['silhouette', 'silhouette of {prompt}, black shape, glowing backdrop, clean outline', 'inner detail, flat light'],
  ['space', '{prompt} in outer space, nebula light, stars, distant planets, vast silence', 'indoors, daylight sky, city'],
  [
    'stacked-papercut',
    'stacked papercut of {prompt}, many even layers, soft shadow between the sheets, depth',
    'single layer, paint, photograph',
  ],
  ['stained-glass', 'stained glass window of {prompt}, lead lines, jewel colours, light from behind', 'opaque, photograph, plain'],
  ['steampunk', 'steampunk {prompt}, brass gears, leather, steam, victorian craft', 'digital, plastic, minimal'],
  [
    'strategy-game',
    'strategy game map of {prompt}, seen from above, small buildings and units, readable terrain',
    'close-up, portrait, photograph',
  ],
  [
    'street-fighter',
    'street fighting game art of {prompt}, muscular poses, dynamic brush lines, fiery effects',
    'calm, realistic, photograph',
  ],
  ['super-mario', 'cheerful platform game world of {prompt}, round hills, bright blocks, toy-like shapes', 'dark, realistic, gritty'],
  ['surrealist', 'surrealist painting of {prompt}, impossible meeting of things, quiet precision', 'ordinary, documentary, logical'],
  [
    'techwear-fashion',
    'techwear fashion photograph of {prompt}, black technical layers, straps, urban night',
    'historic costume, colourful, rustic',
  ],
  ['thick-layered-papercut', 'thick layered papercut of {prompt}, heavy card, deep relief, strong shadows', 'thin line, flat, photograph'],
  ['tile-texture', 'seamless tile texture of {prompt}, even repeat, flat light, no border', 'single object, frame, perspective'],
  ['tilt-shift', 'tilt-shift photograph of {prompt}, toy scale, narrow band of focus, vivid', 'deep focus, drawing'],
  ['toy-bricks', 'toy brick model of {prompt}, interlocking plastic studs, bright primary colour', 'organic, soft, photograph of a person'],
  ['tribal', 'tribal art of {prompt}, carved patterns, earth pigments, rhythmic ornament', 'futuristic, pastel, photograph'],
  ['typography', 'typographic poster of {prompt}, bold letterforms, strict grid, two colours', 'photograph, cluttered, soft'],
  ['ukiyo-e', 'ukiyo-e woodblock print of {prompt}, flat areas, flowing contour, washi paper', 'photograph, shading, western perspective'],
  ['watercolor', 'watercolour of {prompt}, wet blooms, visible paper, light washes', 'heavy, opaque, photograph'],
  ['zentangle', 'zentangle of {prompt}, dense ink patterns, endless small ornament', 'colour, empty, photograph'],
]

/** All styles. */
export const stylePresets: readonly StylePreset[] = rows.map(([name, prompt, negativePrompt]) => ({ name, prompt, negativePrompt }))

export const stylePresetNames: readonly string[] = stylePresets.map(({ name }) => name)

/** Finds a style by name, or undefined; `Craft Clay` and `Pokémon` match `craft-clay` and `pokemon`. */
export function findStylePreset(name: string): StylePreset | undefined {
  const plain = name.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(' ', '-')
  return stylePresets.find((preset) => preset.name === plain)
}

/** A request's prompts with its style applied. */
export type StyledPrompts = Pick<ImageRequest, 'prompt' | 'prompt2' | 'negative'>

/** @throws {ServiceError} `validation_error` for an unknown style. */
export function stylePrompts({ stylePreset: name, prompt, prompt2, negative, guidanceScale }: ImageRequest): StyledPrompts {
  if (name === null) return { prompt, prompt2, negative }
  const preset = findStylePreset(name)
  if (preset === undefined)
    throw new ServiceError('validation_error', `There is no style preset "${shortName(name)}".`, { param: 'style_preset' })
  const unwanted = (own = ''): string => [preset.negativePrompt, own].filter((text) => text !== '').join(', ')
  return {
    prompt: around(preset, prompt),
    prompt2: around(preset, prompt2),
    // Without guidance a negative prompt has no effect; the request's own was refused earlier.
    negative:
      negative === null && (preset.negativePrompt === '' || guidanceScale <= 1)
        ? null
        : { prompt: unwanted(negative?.prompt), prompt2: unwanted(negative?.prompt2) },
  }
}

function around(preset: StylePreset, prompt: string): string {
  // Not String.replace, where a dollar sign in a prompt would be special.
  return preset.prompt.split('{prompt}').join(prompt)
}
