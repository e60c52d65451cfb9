//! A headless Chromium and the few words of its debugging protocol that the tests need.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with one page. Ended when the test is over.
pub struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    number: u64,
    complaints: Vec<String>,
}

impl Browser {
    /// Starts one with an empty profile below `dir`.
    pub fn start(dir: &Path) -> Self {
        let program = std::env::var_os("THRILLE_CHROMIUM").unwrap_or_else(|| "chromium".into());
        let mut child = Command::new(&program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--remote-debugging-port=0", "--window-size=1440,1100"])
            .arg(format!("--user-data-dir={}", dir.join("profile").display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{}: {error}; install chromium, or name a browser by THRILLE_CHROMIUM", program.display())
            });
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .find_map(|line| line.ok()?.strip_prefix("DevTools listening on ").map(ToOwned::to_owned))
            .expect("the browser says where it listens");
        // What it says further is read, or it would wait.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address).expect("the browser answers");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let mut browser = Self { child, socket, session: String::new(), number: 0, complaints: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().into();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, &json!({}));
        }
        // Sums up what jumps without anybody having done something.
        let watch = "window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) window.shift += \
                     e.value; })).observe({ type: 'layout-shift', buffered: true });";
        browser.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": watch }));
        browser
    }

    /// Calls a method and waits for its result.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap_or_else(|error| panic!("{method}: {error}")) else {
                continue;
            };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    /// Notes what the page complains about.
    fn hear(&mut self, event: &Value) {
        let text = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => event["params"]["exceptionDetails"].to_string(),
            Some("Log.entryAdded") if event["params"]["entry"]["level"] == "error" => {
                event["params"]["entry"].to_string()
            }
            _ => return,
        };
        self.complaints.push(text);
    }

    /// Errors of the page so far: exceptions, refused scripts, missing files.
    pub fn complaints(&mut self) -> Vec<String> {
        self.evaluate("0");
        std::mem::take(&mut self.complaints)
    }

    /// Opens an address and waits until the page is there.
    pub fn open(&mut self, url: &str) {
        let opened = self.call("Page.navigate", &json!({ "url": url }));
        assert!(opened["errorText"].is_null(), "{opened}");
        self.wait(&format!("document.readyState === 'complete' && location.href.startsWith({})", json!(url)));
    }

    /// The value of an expression, or of what it promises.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let result = self.call("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    pub fn string(&mut self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).into()
    }

    pub fn whole(&mut self, expression: &str) -> u64 {
        self.evaluate(expression).as_u64().unwrap_or_else(|| panic!("{expression} is no whole number"))
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        self.evaluate(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// The text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        self.string(&format!("document.querySelector({}).textContent", json!(selector)))
    }

    /// Waits for something to become true.
    pub fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.evaluate(expression) != Value::Bool(true) {
            assert!(begun.elapsed() < PATIENCE, "never happened: {expression}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Clicks where an element is, with the mouse.
    pub fn click(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'nearest' }}); const r = e.getBoundingClientRect(); return [r.left + \
             r.width / 2, r.top + r.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &params);
        }
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let mut params = json!({ "type": "keyDown", "key": key });
        if key.chars().count() == 1 {
            params["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", &params);
        self.call("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// Types a text into a field.
    pub fn type_into(&mut self, selector: &str, text: &str) {
        self.evaluate(&format!("document.querySelector({}).focus()", json!(selector)));
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Chooses a value of a list.
    pub fn choose(&mut self, selector: &str, value: &str) {
        self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({}); e.value = {}; e.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
            json!(selector),
            json!(value)
        ));
    }

    pub fn allow_clipboard(&mut self) {
        let session = std::mem::take(&mut self.session);
        self.call(
            "Browser.grantPermissions",
            &json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] }),
        );
        self.session = session;
        self.call("Page.bringToFront", &json!({}));
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &params);
    }

    /// Keeps a picture of the page in `target/screenshots`.
    pub fn screenshot(&mut self, name: &str) {
        use base64::Engine;
        let shot = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .parent()
            .map_or_else(PathBuf::new, |target| target.join("screenshots"));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(format!("{name}.png")), bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
