/** How a small picture hints at a style: its colours, its lines, its grain. */
export interface StyleLook {
  /** Colours of the darkest and the lightest parts, in place of the picture's own. */
  readonly duo?: readonly [string, string]
  /** Share of {@link duo} that is mixed in; 1 = all. */
  readonly mix?: number
  /** Times as colourful; 0 = grey. */
  readonly saturation?: number
  /** Degrees by which colours turn. */
  readonly hue?: number
  readonly contrast?: number
  /** Tones that are left of each colour. */
  readonly levels?: number
  /** Squares along a side. */
  readonly squares?: number
  /** Pixels of softness. */
  readonly blur?: number
  /** How dark the outlines are drawn, 0 to 1. */
  readonly lines?: number
  /** How coarse the grain is, 0 to 1. */
  readonly grain?: number
  /** Pixels between dots of ink. */
  readonly dots?: number
}

/** A hint for each style that has more to it than the picture as it is. */
export const styleLooks: Readonly<Record<string, StyleLook>> = {
  '3d-model': { saturation: 0.5, contrast: 0.9, blur: 0.6 },
  abstract: { levels: 3, saturation: 2, blur: 3 },
  advertising: { saturation: 1.5, contrast: 1.2 },
  alien: { hue: 100, contrast: 1.2 },
  'analog-film': { duo: ['#3b2a1a', '#f6e7c4'], mix: 0.45, grain: 0.25 },
  anime: { levels: 5, saturation: 1.5, lines: 0.7 },
  architectural: { duo: ['#20313f', '#f4f1ea'], lines: 0.6 },
  'art-deco': { duo: ['#10141c', '#d9b35a'], levels: 4 },
  'art-nouveau': { duo: ['#2e3b22', '#efd9a0'], lines: 0.8, mix: 0.7 },
  biomechanical: { duo: ['#0c1110', '#8fa39a'], contrast: 1.5 },
  charcoal: { duo: ['#2b2927', '#eae6de'], lines: 0.9, grain: 0.3 },
  cinematic: { duo: ['#08222b', '#f5c48c'], mix: 0.5, contrast: 1.3 },
  collage: { squares: 9, levels: 5, saturation: 1.2 },
  'comic-book': { levels: 4, saturation: 1.7, lines: 1, dots: 5 },
  'craft-clay': { blur: 1.8, saturation: 0.8 },
  cubist: { squares: 12, duo: ['#3a2a1c', '#e0c79a'], mix: 0.6 },
  cyberpunk: { duo: ['#12063a', '#ff3fb4'], mix: 0.8, contrast: 1.4 },
  'digital-art': { saturation: 1.6, contrast: 1.1 },
  disco: { hue: 280, saturation: 1.8, dots: 7 },
  dreamscape: { blur: 2.2, duo: ['#5c4a8a', '#ffe3f4'], mix: 0.5 },
  dystopian: { duo: ['#17181a', '#a3a088'], contrast: 1.2, grain: 0.15 },
  enhance: { contrast: 1.3, saturation: 1.2 },
  expressionist: { hue: -30, saturation: 2.2, levels: 5 },
  'fairy-tale': { duo: ['#3a1f3d', '#ffdf9a'], mix: 0.55, blur: 0.6 },
  'fantasy-art': { duo: ['#1c1440', '#ffcf7a'], mix: 0.5, contrast: 1.2 },
  'fighting-game': { saturation: 2, contrast: 1.5, levels: 6 },
  'film-noir': { duo: ['#000000', '#ffffff'], contrast: 1.9 },
  'flat-papercut': { levels: 3, saturation: 0.9 },
  'food-photography': { hue: -8, saturation: 1.5, blur: 0.4 },
  futuristic: { duo: ['#06121f', '#a9f3ff'], mix: 0.75 },
  gothic: { duo: ['#0d0810', '#8c6a74'], contrast: 1.4 },
  graffiti: { saturation: 2.2, lines: 1, grain: 0.2 },
  grunge: { duo: ['#241d14', '#bfae8a'], mix: 0.6, grain: 0.5 },
  gta: { levels: 4, duo: ['#241033', '#ffb45c'], mix: 0.6, lines: 0.8 },
  hdr: { contrast: 1.7, saturation: 1.5 },
  horror: { duo: ['#050505', '#7f1414'], contrast: 1.4 },
  hyperrealism: { contrast: 1.15 },
  impressionist: { squares: 30, saturation: 1.4, grain: 0.3 },
  infrared: { hue: 150, saturation: 0.7, contrast: 1.3 },
  isometric: { levels: 5, saturation: 0.8, squares: 40 },
  kawaii: { duo: ['#a0527d', '#fff1f7'], mix: 0.55 },
  kirigami: { duo: ['#b9483f', '#fff8ef'], levels: 3 },
  'legend-of-zelda': { duo: ['#153a25', '#ecd98a'], mix: 0.5, levels: 5 },
  'line-art': { duo: ['#ffffff', '#ffffff'], lines: 1 },
  'long-exposure': { blur: 4, contrast: 1.4 },
  'low-poly': { squares: 14, saturation: 1.2 },
  minecraft: { squares: 16, levels: 6 },
  minimalist: { duo: ['#8f8a80', '#ffffff'], levels: 2 },
  'modeling-compound': { blur: 1.6, saturation: 1.6 },
  monochrome: { saturation: 0 },
  nautical: { duo: ['#0b2a4a', '#f2efe3'] },
  'neon-noir': { duo: ['#020208', '#28e0d0'], contrast: 1.7 },
  'neon-punk': { duo: ['#1a0433', '#3dffe5'], hue: 60, mix: 0.7, contrast: 1.5 },
  'oil-painting': { blur: 1, saturation: 1.3, grain: 0.2, levels: 9 },
  origami: { squares: 10, levels: 5, duo: ['#c46a3f', '#fff6e6'], mix: 0.7 },
  'paper-mache': { grain: 0.4, saturation: 0.6, blur: 1 },
  'paper-quilling': { lines: 0.9, duo: ['#a03d5c', '#fff4e4'], mix: 0.5 },
  'papercut-collage': { levels: 4, squares: 22, saturation: 1.2 },
  'papercut-shadow-box': { levels: 4, duo: ['#26324d', '#fdf3dd'] },
  pastel: { duo: ['#b48fb3', '#fffaf2'], mix: 0.6 },
  'pixel-art': { squares: 24, levels: 5, saturation: 1.3 },
  pointillism: { dots: 4, saturation: 1.5 },
  pokemon: { saturation: 1.8, levels: 5, lines: 0.8, hue: 10 },
  'pop-art': { hue: 200, saturation: 2.4, levels: 3, dots: 5 },
  psychedelic: { hue: 150, saturation: 2.6, levels: 5 },
  'real-estate': { duo: ['#4a4238', '#fffdf8'], mix: 0.45 },
  renaissance: { duo: ['#1c1008', '#e3c48d'], mix: 0.7, grain: 0.12 },
  'retro-arcade': { squares: 28, duo: ['#0a0430', '#ff5fa2'], mix: 0.6, levels: 4 },
  'retro-game': { squares: 20, duo: ['#0f380f', '#9bbc0f'], levels: 4 },
  'rpg-fantasy-game': { duo: ['#2a1a10', '#f0c97d'], mix: 0.45, contrast: 1.2 },
  silhouette: { duo: ['#111111', '#ffb86b'], levels: 2 },
  space: { duo: ['#02030f', '#8fb7ff'], contrast: 1.3, grain: 0.2 },
  'stacked-papercut': { levels: 5, duo: ['#234a4a', '#f7ecd2'] },
  'stained-glass': { squares: 11, lines: 1, saturation: 2 },
  steampunk: { duo: ['#22130a', '#d9a441'], contrast: 1.2 },
  'strategy-game': { duo: ['#1d2a17', '#c9cf9a'], mix: 0.6, squares: 36 },
  'street-fighter': { saturation: 1.9, levels: 5, lines: 0.9 },
  'super-mario': { saturation: 2, hue: -14, levels: 6 },
  surrealist: { hue: 60, blur: 0.8, contrast: 1.2 },
  'techwear-fashion': { duo: ['#090a0c', '#b8bec7'], contrast: 1.3 },
  'thick-layered-papercut': { levels: 3, duo: ['#7b2f4b', '#ffe9cf'] },
  'tile-texture': { squares: 8, saturation: 1.2 },
  'tilt-shift': { blur: 2, saturation: 1.6 },
  'toy-bricks': { squares: 18, saturation: 1.7, levels: 5, dots: 4 },
  tribal: { duo: ['#1a0d06', '#d98a4b'], levels: 2, lines: 0.8 },
  typography: { duo: ['#111111', '#f6f3ec'], levels: 2, dots: 6 },
  'ukiyo-e': { duo: ['#1f3a5a', '#f3e3c2'], mix: 0.65, levels: 5, lines: 0.8 },
  watercolor: { blur: 1.4, duo: ['#4a6a8f', '#fffdf7'], mix: 0.4, grain: 0.12 },
  zentangle: { duo: ['#000000', '#ffffff'], lines: 1, dots: 3 },
}
