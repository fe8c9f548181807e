import { expect, test } from 'vitest'
import { crumbsOf } from './crumbs.ts'

test.each([
  ['/', []],
  ['/offers', [{ path: '/offers', label: 'frame.menu.offers', isPage: true }]],
  [
    '/profile/participations',
    [
      { label: 'frame.menu.profile', isPage: false },
      { label: 'frame.menu.participations', isPage: true },
    ],
  ],
  ['/policies/accessibility', [{}, { label: 'frame.menu.accessibility' }]],
  ['/demo/mailbox/01a1ff22-67ca', [{}, { label: 'mailbox.title' }, { label: 'mailbox.mail' }]],
])('the breadcrumb of %s has the titles of the menu and of other pages [spec 2.130]', (path, crumbs) => {
  expect(crumbsOf(path)).toMatchObject(crumbs)
})

test('a contest that the page knows has its title, never its slug', () => {
  const contest = { slug: 'élan-gt', title: 'Élan GT 1972' }
  expect(crumbsOf('/offers/%C3%A9lan-gt', contest)).toMatchObject([
    { label: 'frame.menu.offers' },
    { text: contest.title },
  ])
  expect(crumbsOf('/draws/%C3%A9lan-gt/live', contest)).toMatchObject([
    { label: 'frame.menu.draws' },
    { text: contest.title },
    { label: 'frame.live' },
  ])
  expect(crumbsOf('/draws/other', contest).at(-1)).toMatchObject({ text: 'Other' })
})

test.each([
  ['/offers/%C3%A9lan-gt', 'Élan-gt'],
  ['/%E0%A4%A', '%E0%A4%A'],
])('the last part of %s is decoded and capitalised if that is possible: %s [spec 2.131]', (path, text) => {
  const last = crumbsOf(path).at(-1)
  expect(last).toMatchObject({ text, isPage: false })
  expect(last).not.toHaveProperty('label')
})
