//! A plugin is a repair model if it says so: it is given the prompt and the tools, and its reply is
//! untrusted.

use harness_core::Prompt;
use harness_plugin::PluginModel;
use harness_repair::{ModelRequest, RepairModel as _, StopReason, repair_tools};

use crate::library::{BY_HAND, Folder, WITH_THE_TRAIT, bytes_of, load};

#[tokio::test]
async fn a_request_goes_out_and_a_reply_comes_back() {
    let (folder, bytes) = (Folder::new(), bytes_of(BY_HAND));
    let plugin = load(&folder.put("plugin.so", &bytes), &bytes).await;
    let model = PluginModel::new(plugin).unwrap();
    assert_eq!(model.name().as_str(), "plugin by hand");
    let prompt = Prompt::new().trusted("Repair what failed.");
    let reply = model
        .reply(ModelRequest {
            prompt: &prompt,
            exchange: &[],
            tools: repair_tools(),
            max_output_tokens: 100,
            temperature: None,
            reasoning_effort: None,
        })
        .await
        .unwrap();
    assert_eq!(
        (reply.output_tokens, reply.stop),
        (Some(9), StopReason::Complete)
    );
    assert_eq!(reply.calls.len(), 1);
    assert_eq!(
        reply.calls[0].name.byte_len(),
        "harness_notice_resolve".len()
    );
}

#[tokio::test]
async fn a_plugin_that_does_not_repair_is_no_model() {
    let (folder, bytes) = (Folder::new(), bytes_of(WITH_THE_TRAIT));
    let plugin = load(&folder.put("plugin.so", &bytes), &bytes).await;
    assert!(PluginModel::new(plugin).is_none());
}
