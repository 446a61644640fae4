import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { sidebar } from './sidebar.mts'

// The pages are the Markdown files of the repository, so that GitHub and the site show the same text.
export default defineConfig({
  title: 'Punctual',
  description: 'A delay queue for Java',
  srcDir: '../..',
  srcExclude: ['**/target/**', '**/node_modules/**', '.github/**', 'SECURITY.md', 'CODE_OF_CONDUCT.md'],
  rewrites: {
    'README.md': 'index.md',
    'docs/adr/README.md': 'docs/adr/index.md',
  },
  outDir: './dist',
  cacheDir: './cache',
  lastUpdated: false,
  // The pages lie outside this folder, so they do not find its modules by themselves.
  vite: { resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: module('vue') }] } },
  head: [['meta', { name: 'color-scheme', content: 'light dark' }]],
  themeConfig: {
    sidebar: sidebar.map(withRewrites),
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/punctual/punctual' }],
    editLink: { pattern: 'https://github.com/punctual/punctual/edit/main/:path', text: 'Edit this page' },
    outline: { level: [2, 3] },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})

function module(name: string) {
  return fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
}

function withRewrites(group: { text: string; items: { text: string; link: string }[] }) {
  return {
    ...group,
    collapsed: false,
    items: group.items.map((item) => ({ ...item, link: item.link.replace(/README$/, '') })),
  }
}
