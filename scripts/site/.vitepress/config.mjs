// The site of the manual: the Markdown of docs/ as it is, with a sidebar and a search. `npm run site` builds it.
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';
import { addressOf, linkFrom, projectFolder, sidebarOf } from '../pages.ts';

const { description, homepage } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8'));
const repository = homepage.replace(/#.*/, '');

export default defineConfig({
  title: 'ctx',
  description,
  srcDir: '../..',
  srcExclude: ['{fixtures,scripts,skills,src,test}/**', 'docs/examples/**'],
  cacheDir: 'node_modules/.cache/vitepress',
  outDir: 'dist',
  // The pages are outside of the folder with the generator's packages.
  vite: {
    build: { chunkSizeWarningLimit: 4000 },
    plugins: [
      {
        name: 'vue',
        enforce: 'pre',
        resolveId: (id, _, { ssr }) => (ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : null),
      },
    ],
  },
  rewrites: (file) => addressOf(file) ?? file,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: slug },
    config: (md) => md.core.ruler.push('links of the site', withLinks),
  },
  buildEnd: ({ outDir }) =>
    cpSync(path.join(projectFolder, 'docs/schema'), path.join(outDir, 'schema'), { recursive: true }),
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'Manual', link: '/manual' },
      { text: 'Reference', link: '/reference' },
    ],
    sidebar: { '/': sidebarOf('docs/README.md'), '/rules/': sidebarOf('docs/rules/README.md') },
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
  },
});

/** Changes the links of a page, and the pictures in its HTML, to what the generator resolves. */
function withLinks({ tokens, env }) {
  const page = path.relative(projectFolder, env.realPath ?? env.path);
  for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
    if (token.type === 'link_open') token.attrSet('href', linkFrom(page, token.attrGet('href'), repository));
    if (token.info === 'console') token.info = 'text';
    if (token.type === 'code_inline') token.attrSet('v-pre', '');
    if (token.type.startsWith('html'))
      token.content = token.content.replaceAll(/ (src|srcset)="(?=[\w/-]+\.)/g, ' $1="./');
  }
}
