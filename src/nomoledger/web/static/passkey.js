// Makes and uses passkeys: the browser's answer to a challenge goes into a form, which is sent like any other.
"use strict";
const bytes = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), sign => sign.charCodeAt(0));
const written = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const asked = async address => {
  const answer = await fetch(address, {method: "POST", credentials: "same-origin"});
  if (!answer.ok) throw new Error(`the server refused (${answer.status}): wait a minute, and try again`);
  const options = await answer.json();
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const known of options.excludeCredentials || []) known.id = bytes(known.id);
  return options;
};
const told = made => {
  const response = {clientDataJSON: written(made.response.clientDataJSON)};
  for (const part of ["attestationObject", "authenticatorData", "signature", "userHandle"])
    if (made.response[part]) response[part] = written(made.response[part]);
  return JSON.stringify({id: made.id, rawId: written(made.rawId), type: made.type, response});
};
const whys = {NotAllowedError: "no passkey was chosen", InvalidStateError: "this device has a passkey already"};
for (const form of window.PublicKeyCredential ? document.querySelectorAll("form[data-options]") : []) {
  form.hidden = false;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const says = form.querySelector("[role=status]");
    says.textContent = "";
    try {
      const publicKey = await asked(form.dataset.options);
      const made = form.dataset.makes ? await navigator.credentials.create({publicKey}) : await navigator.credentials.get({publicKey});
      form.elements.credential.value = told(made);
      form.submit();
    } catch (error) {
      says.textContent = `Not done: ${whys[error.name] || error.message}.`;
    }
  });
}
