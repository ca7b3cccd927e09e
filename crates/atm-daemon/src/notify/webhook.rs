//! POST of a notification as JSON, on a thread of its own: the client waits.

use std::time::Duration;

use atm_core::config::notify::Webhook;
use atm_core::notify::webhook::{is_allowed, is_loopback};
use tokio::sync::oneshot;

pub(super) async fn post(config: &Webhook, body: Vec<u8>) -> Result<(), String> {
    if !is_allowed(&config.url) {
        return Err("notify.webhook.url is not set".to_owned());
    }
    let header = header(config)?;
    let (url, limit) = (config.url.clone(), config.timeout);
    let (done, answer) = oneshot::channel();
    let work = move || drop(done.send(send(&url, header, limit, &body)));
    let thread = std::thread::Builder::new().name("webhook".to_owned()).spawn(work);
    thread.map_err(|error| format!("no thread for it: {error}"))?;
    answer.await.unwrap_or_else(|_| Err("it was given up".to_owned()))
}

fn header(config: &Webhook) -> Result<Option<(String, String)>, String> {
    if config.header.is_empty() {
        return Ok(None);
    }
    let name = &config.header_env;
    let value = std::env::var(name)
        .map_err(|_| format!("the daemon has no {name:?} in its environment for the header"))?;
    Ok(Some((config.header.clone(), value)))
}

fn send(
    url: &str,
    header: Option<(String, String)>,
    limit: Duration,
    body: &[u8],
) -> Result<(), String> {
    let mut builder = ureq::Agent::config_builder()
        .timeout_global(Some(limit))
        .max_redirects(0)
        .max_redirects_will_error(true)
        .user_agent("atm");
    if is_loopback(url) {
        builder = builder.proxy(None);
    }
    let agent: ureq::Agent = builder.build().into();
    let mut request = agent.post(url).header("content-type", "application/json");
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    // The address may hold a secret, and so may an error that quotes it.
    request.send(body).map(drop).map_err(|error| match error {
        ureq::Error::StatusCode(code) => format!("the other side answers {code}"),
        ureq::Error::Timeout(_) => format!("no answer within {limit:?}"),
        ureq::Error::TooManyRedirects => {
            "the other side redirects; that is not followed".to_owned()
        }
        ureq::Error::Io(error) => format!("cannot be reached: {error}"),
        other => other.to_string().replace(url, "…"),
    })
}
