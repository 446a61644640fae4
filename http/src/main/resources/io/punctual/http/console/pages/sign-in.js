/** One field: the token. */
import { html, nothing } from '../lit-html.js';
import { LOGO } from '../parts.js';
import { signedIn } from '../app.js';
import { proof } from '../api.js';

const ENDED = { token: 'This token is not valid, or no longer.', key: 'The session has ended.' };

const problem = (c) => {
  const text = c.signInProblem ?? ENDED[proof()];
  return text ? html`<p class="problem" role="alert">${text}</p>` : nothing;
};

export const signIn = {
  title: () => 'Sign in',
  view: (c) => html`<section class="card sign-in"><form class="pad gap" @submit=${(e) => { e.preventDefault(); signedIn(new FormData(e.target).get('token').trim()); }}>
    <h1>${LOGO} Punctual</h1>${problem(c)}
    <label class="field">Token<input class="in mono" name="token" type="password" autocomplete="current-password" required /></label>
    <p class="dim">It begins with pnc_, and comes from whoever runs the server. This window keeps it until it closes. A server that is started on a terminal prints a link that signs in without a token.</p>
    <button class="btn primary">Sign in</button></form></section>`,
};
