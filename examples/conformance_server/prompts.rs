//! The prompts.

use rmcp::model::{
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt,
    PromptArgument, PromptMessage, ResourceContents, Role,
};

use crate::input_required;
use crate::samples::PNG;

/// A prompt whose arguments can be completed.
pub(crate) const COMPLETED: &str = "test_prompt_with_arguments";

pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |name: &str, description: &str, arguments: &[&str]| {
        let argument = |name: &&str| {
            let description = format!("The value of {name}");
            PromptArgument::new(*name)
                .with_description(description)
                .with_required(true)
        };
        let arguments: Vec<_> = arguments.iter().map(argument).collect();
        Prompt::new(name, Some(description), Some(arguments))
    };
    vec![
        prompt("test_simple_prompt", "A prompt without arguments", &[]),
        prompt(COMPLETED, "A prompt with arguments", &["arg1", "arg2"]),
        prompt(
            "test_prompt_with_embedded_resource",
            "A prompt with the contents of a resource",
            &["resourceUri"],
        ),
        prompt("test_prompt_with_image", "A prompt with a picture", &[]),
        prompt(
            "test_input_required_result_prompt",
            "A prompt that asks the user for its context",
            &[],
        ),
    ]
}

pub(crate) fn get(request: GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let contents = match request.name.as_str() {
        "test_simple_prompt" => {
            vec![ContentBlock::text("This is a simple prompt for testing.")]
        }
        COMPLETED => {
            let (first, second) = (argument(&request, "arg1")?, argument(&request, "arg2")?);
            let text = format!("Prompt with arguments: arg1='{first}', arg2='{second}'");
            vec![ContentBlock::text(text)]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = argument(&request, "resourceUri")?;
            let contents = ResourceContents::text("Embedded resource content for testing.", uri);
            vec![
                ContentBlock::resource(contents.with_mime_type("text/plain")),
                ContentBlock::text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            ContentBlock::image(PNG, "image/png"),
            ContentBlock::text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => return Ok(input_required::prompt(request)),
        other => {
            let message = format!("there is no prompt {other}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let messages = contents
        .into_iter()
        .map(|content| PromptMessage::new(Role::User, content))
        .collect();
    Ok(GetPromptResult::new(messages).into())
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|all| all.get(name));
    value.and_then(|value| value.as_str()).ok_or_else(|| {
        let message = format!("{} needs the argument {name}, a string", request.name);
        ErrorData::invalid_params(message, None)
    })
}
